#!/usr/bin/env node
/** The command line: reads the words, runs one command, sets the exit code. The commands stand in `cli/`. */
import { parseArgs } from 'node:util';
import { COMMANDS, COMMON_OPTIONS, isCommand, type CommandOptions } from './cli/commands.js';
import { explain } from './cli/explain.js';
import { helpOf, overview } from './cli/help.js';
import { heedSignals } from './cli/signals.js';
import { versionOfPackage } from './cli/version.js';
import { nearest } from './source/suggest.js';

/** The options of all commands; which of them a command takes is in its table. */
const OPTIONS = {
  config: { type: 'string', short: 'c' },
  format: { type: 'string' },
  out: { type: 'string', short: 'o' },
  for: { type: 'string' },
  force: { type: 'boolean' },
  check: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  destroy: { type: 'boolean' },
  yes: { type: 'boolean' },
  sql: { type: 'boolean' },
  all: { type: 'boolean' },
  dead: { type: 'boolean' },
  state: { type: 'string' },
  resource: { type: 'string' },
  limit: { type: 'string' },
  stdio: { type: 'boolean' },
  clientProcessId: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

const say = (text: string): number => {
  process.stdout.write(text);
  return 0;
};

/** What was not understood; the exit code is 2. */
const refuse = (text: string): number => {
  process.stderr.write(text);
  return 2;
};

// Whoever reads the output may have seen enough (`| head`). The command goes on: what it found still decides the exit code,
// and a server does not stop because its log has no reader.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

async function main(words: readonly string[]): Promise<number> {
  const mistake = unknownOption(words);
  if (mistake !== null) return refuse(mistake);
  const { values, positionals } = parseArgs({ args: [...words], allowPositionals: true, options: OPTIONS });
  const [first, ...others] = positionals;
  const wantsHelp = values.help === true || first === 'help';
  const [name, ...rest] = first === 'help' ? others : positionals;
  if (values.version === true) return say(`${versionOfPackage()}\n`);
  if (name === undefined) return wantsHelp ? say(overview()) : refuse(overview());
  if (!isCommand(name)) return refuse(unknownCommand(name));
  if (wantsHelp) return say(helpOf(name));
  const command = COMMANDS[name];
  if (command === undefined) return refuse(unknownCommand(name));
  const taken = [...command.options, ...COMMON_OPTIONS].map((option) => option.name);
  const foreign = Object.keys(values).find((option) => !taken.includes(option));
  if (foreign !== undefined) return refuse(`\`lintel ${name}\` takes no option --${foreign}.\n\n${helpOf(name)}`);
  const expected = command.usage.split(' ').length - 1;
  if (rest.length > expected) return refuse(`"${rest[expected] ?? ''}" is one word too many.\n\n${helpOf(name)}`);
  const run = await command.load();
  return run(optionsOf(values, rest));
}

type Values = Readonly<Partial<Record<keyof typeof OPTIONS, string | boolean>>>;

function optionsOf(values: Values, words: readonly string[]): CommandOptions {
  const textOf = (value: string | boolean | undefined): string | undefined =>
    typeof value === 'string' ? value : undefined;
  return {
    config: textOf(values.config),
    format: textOf(values.format),
    out: textOf(values.out),
    for: textOf(values.for),
    force: values.force === true,
    check: values.check === true,
    dryRun: values['dry-run'] === true,
    destroy: values.destroy === true,
    yes: values.yes === true,
    sql: values.sql === true,
    all: values.all === true,
    dead: values.dead === true,
    state: textOf(values.state),
    resource: textOf(values.resource),
    limit: textOf(values.limit),
    stdio: values.stdio === true,
    arguments: words,
  };
}

function unknownCommand(name: string): string {
  const near = nearest(name, [...Object.keys(COMMANDS), 'help']);
  return `There is no command "${name}".${near === undefined ? '' : ` Did you mean "${near}"?`}\n\n${overview()}`;
}

/** Told before the strict reading, whose words know no nearest name. */
function unknownOption(words: readonly string[]): string | null {
  const { tokens } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: OPTIONS,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(OPTIONS, token.name)) continue;
    const near = token.rawName.startsWith('--') ? nearest(token.name, Object.keys(OPTIONS)) : undefined;
    return `There is no option ${token.rawName}.${near === undefined ? '' : ` Did you mean --${near}?`}\n`;
  }
  return null;
}

heedSignals();
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  const misread = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  process.exitCode = misread ? 2 : 1;
}
