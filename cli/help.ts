/** Generates help texts from the command table. */
import type { OptionDoc } from '../language/export/command-doc.js';
import { COMMANDS, COMMON_OPTIONS } from './commands.js';

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

export const formatOverview = (): string => `lintel: a backend declared in JSON

${formatColumns(Object.values(COMMANDS).map(({ usage, summary }) => [`lintel ${usage}`, summary]))}

${formatColumns(COMMON_OPTIONS.map((option) => [formatFlag(option), stripBackticks(option.doc)]))}

lintel help <command> tells more: --format, --out and other options, examples, exit codes.
Exit codes: 0 done, 1 refused or failed, 2 not understood.
Environment: PORT, HOST, LOG_LEVEL, LOG_FORMAT (pretty, json), DATABASE_URL, NO_COLOR; a .env file beside the config is read.
`;

export function formatHelp(name: string): string {
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
