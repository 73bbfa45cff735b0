/** Parses arguments, runs one command, returns the exit code. */
import { parseArgs } from 'node:util';
import { findNearest } from '../language/source/suggest.js';
import { COMMANDS, COMMON_OPTIONS, isCommand } from './commands.js';
import { OPTIONS, toCommandOptions } from './options.js';
import { formatError } from './format-error.js';
import type { OptionDoc } from '../language/export/command-doc.js';
import { createPaint } from './colors.js';
import type { Terminal } from './terminal.js';
import { readPackageFile } from '../language/project/package-folder.js';

/** The exit code; 2 for invalid arguments. Errors go to stderr. */
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

const WIDTH = 100;

const formatFlag = ({ name, value }: OptionDoc): string => `--${name}${value === undefined ? '' : ` ${value}`}`;
/** Removes Markdown backticks for the terminal. */
const stripBackticks = (text: string): string => text.replaceAll('`', '');

function formatColumns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`).join('\n');
}

function wrap(text: string): string {
  const lines: string[] = [''];
  for (const word of text.split(/\s+/)) {
    const last = lines[lines.length - 1] ?? '';
    if (last !== '' && last.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.join('\n');
}

const formatOverview = (): string => `lintel: a backend declared in JSON

${formatColumns(Object.values(COMMANDS).map(({ usage, summary }) => [`lintel ${usage}`, summary]))}

${formatColumns(COMMON_OPTIONS.map((option) => [formatFlag(option), stripBackticks(option.doc)]))}

lintel help <command> tells more: --format, --out and other options, examples, exit codes.
Exit codes: 0 done, 1 refused or failed, 2 not understood.
Environment: PORT, HOST, LOG_LEVEL, LOG_FORMAT (pretty, json), DATABASE_URL, NO_COLOR; a .env file next to the config is read.
`;

function formatHelp(name: string): string {
  const command = COMMANDS[name];
  if (command === undefined) return formatOverview();
  const { usage, summary, details, options, examples, exits } = command;
  const [common] = COMMON_OPTIONS;
  const all = [...options, ...(common === undefined ? [] : [common])];
  return `lintel ${usage}: ${summary}

${wrap(stripBackticks(details))}

Options
${formatColumns(all.map((option) => [formatFlag(option), stripBackticks(option.doc)]))}

Examples
${examples.map((example) => `  ${example}`).join('\n')}

Exit codes
${formatColumns([...exits, { code: 2, doc: 'The command line is not valid.' }].map(({ code, doc }) => [String(code), stripBackticks(doc)]))}
`;
}
