/** Entry point of the command line: parses arguments, runs one command, returns the exit code. */
import { parseArgs } from 'node:util';
import { findNearest } from '../language/source/suggest.js';
import { COMMANDS, COMMON_OPTIONS, isCommand, type CommandOptions } from './commands.js';
import { formatError } from './format-error.js';
import { formatHelp, formatOverview } from './help.js';
import { createPaint } from './colors.js';
import type { Terminal } from './terminal.js';
import { readPackageFile } from '../language/project/package-folder.js';

/** The options of all commands; the command table lists which apply. */
const OPTIONS = {
  config: { type: 'string', short: 'c' },
  format: { type: 'string' },
  out: { type: 'string', short: 'o' },
  for: { type: 'string' },
  force: { type: 'boolean' },
  check: { type: 'boolean' },
  database: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  fill: { type: 'boolean' },
  destroy: { type: 'boolean' },
  yes: { type: 'boolean' },
  sql: { type: 'boolean' },
  all: { type: 'boolean' },
  fix: { type: 'boolean' },
  'fix-all': { type: 'boolean' },
  trust: { type: 'boolean' },
  dead: { type: 'boolean' },
  state: { type: 'string' },
  resource: { type: 'string' },
  limit: { type: 'string' },
  verify: { type: 'boolean' },
  replace: { type: 'boolean' },
  stdio: { type: 'boolean' },
  clientProcessId: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** Returns the exit code; 2 for invalid arguments. Errors are printed to stderr. */
export async function main(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await runCommand(words, terminal);
  } catch (error) {
    terminal.stderr.write(`${formatError(error, createPaint(terminal))}\n`);
    return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS') ? 2 : 1;
  }
}

async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const printText = (text: string): number => {
    terminal.stdout.write(text);
    return 0;
  };
  const printUsageError = (text: string): number => {
    terminal.stderr.write(text);
    return 2;
  };
  const mistake = findUnknownOption(words);
  if (mistake !== null) return printUsageError(mistake);
  const { values, positionals } = parseArgs({ args: [...words], allowPositionals: true, options: OPTIONS });
  const [first, ...others] = positionals;
  const wantsHelp = values.help === true || first === 'help';
  const [name, ...rest] = first === 'help' ? others : positionals;
  if (values.version === true) return printText(`${readPackageFile().version}\n`);
  if (name === undefined) return wantsHelp ? printText(formatOverview()) : printUsageError(formatOverview());
  if (!isCommand(name)) return printUsageError(formatUnknownCommand(name));
  if (wantsHelp) return printText(formatHelp(name));
  const command = COMMANDS[name];
  if (command === undefined) return printUsageError(formatUnknownCommand(name));
  const taken = [...command.options, ...COMMON_OPTIONS].map((option) => option.name);
  const foreign = Object.keys(values).find((option) => !taken.includes(option));
  if (foreign !== undefined)
    return printUsageError(`\`lintel ${name}\` has no option --${foreign}.\n\n${formatHelp(name)}`);
  const expected = command.usage.split(' ').length - 1;
  if (rest.length > expected)
    return printUsageError(`Unexpected argument "${rest[expected] ?? ''}".\n\n${formatHelp(name)}`);
  const run = await command.load();
  return run(toCommandOptions(values, rest), terminal);
}

type Values = Readonly<Partial<Record<keyof typeof OPTIONS, string | boolean>>>;

function toCommandOptions(values: Values, words: readonly string[]): CommandOptions {
  const toText = (value: string | boolean | undefined): string | undefined =>
    typeof value === 'string' ? value : undefined;
  return {
    config: toText(values.config),
    format: toText(values.format),
    out: toText(values.out),
    for: toText(values.for),
    force: values.force === true,
    check: values.check === true,
    database: values.database === true,
    dryRun: values['dry-run'] === true,
    fill: values.fill === true,
    destroy: values.destroy === true,
    yes: values.yes === true,
    sql: values.sql === true,
    all: values.all === true,
    fix: values.fix === true,
    fixAll: values['fix-all'] === true,
    trust: values.trust === true,
    dead: values.dead === true,
    state: toText(values.state),
    resource: toText(values.resource),
    limit: toText(values.limit),
    verify: values.verify === true,
    replace: values.replace === true,
    stdio: values.stdio === true,
    arguments: words,
  };
}

function formatUnknownCommand(name: string): string {
  const near = findNearest(name, [...Object.keys(COMMANDS), 'help']);
  return `There is no command "${name}".${near === undefined ? '' : ` Did you mean "${near}"?`}\n\n${formatOverview()}`;
}

/** Runs before strict `parseArgs`, which suggests no similar option. */
function findUnknownOption(words: readonly string[]): string | null {
  const { tokens } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: OPTIONS,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(OPTIONS, token.name)) continue;
    const near = token.rawName.startsWith('--') ? findNearest(token.name, Object.keys(OPTIONS)) : undefined;
    return `There is no option ${token.rawName}.${near === undefined ? '' : ` Did you mean --${near}?`}\n`;
  }
  return null;
}
