#!/usr/bin/env node
/** The command line: reads the words, runs one command, sets the exit code. The commands stand in `cli/`. */
import { parseArgs } from 'node:util';
import { explain } from './cli/explain.js';
import { versionOfPackage } from './cli/version.js';
import { nearest } from './source/suggest.js';

export interface CommandOptions {
  readonly config: string | undefined;
  readonly format: string | undefined;
  readonly arguments: readonly string[];
}

type Command = (options: CommandOptions) => Promise<number>;

/** Each gives the exit code; one that serves gives it when the server has stopped. Only the one that runs is imported. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./cli/serve.js')).serve,
  dev: async () => (await import('./cli/dev.js')).dev,
  check: async () => (await import('./cli/check.js')).check,
  plan: async () => (await import('./cli/plan.js')).plan,
};

const HELP = `lintel: a backend declared in JSON

  lintel serve            serve the definitions; one error refuses the start
  lintel dev              serve what is sound, watch the files, show problems
  lintel check            report problems; exit code 1 when one is an error
                            --format pretty | json | sarif
  lintel plan <id>        show the compiled plan of a resource
                            --format pretty | json

  --config FILE           the config file (default: lintel.config.json, if it is there)
  --help, --version

Environment: PORT, HOST, LOG_LEVEL, LOG_FORMAT (pretty, json), DATABASE_URL; a .env file beside the config is read.
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      config: { type: 'string', short: 'c' },
      format: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  });
  const [name, ...rest] = positionals;
  if (values.version === true) return say(`${versionOfPackage()}\n`, 0);
  if (values.help === true) return say(HELP, 0);
  if (name === undefined) return say(HELP, 2);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const near = nearest(name, Object.keys(COMMANDS));
    return say(`There is no command "${name}".${near === undefined ? '' : ` Did you mean "${near}"?`}\n\n${HELP}`, 2);
  }
  const run = await command();
  return run({ config: values.config, format: values.format, arguments: rest });
}

function say(text: string, code: number): number {
  (code === 0 ? process.stdout : process.stderr).write(text);
  return code;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
