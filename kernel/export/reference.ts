/**
 * The reference: Markdown pages made from the specs, so that they cannot say anything else than the checker does. Gives
 * texts by file name; writing them is done elsewhere.
 */
import { configField } from '../analysis/config.js';
import { GRAMMAR } from '../analysis/grammar.js';
import type { Registry } from '../analysis/registry.js';
import type { CodeEntry } from '../contract/problem.js';
import { BOOT_CODES } from '../problems/boot-codes.js';
import { EMPTY_OBJECT } from '../schema/field-node.js';
import type { CommandDoc, OptionDoc } from './command-doc.js';
import { fieldTable, type TableContext } from './field-table.js';
import { blocks, code, midSentence, table } from './markdown.js';
import { codeTable, kindPage } from './reference-kind.js';

/** Stands in the first line of every page that was made, so that old ones can be told from pages of authors. */
export const MARKER = '<!-- Made by `lintel docs` from the specs; edits are lost. -->';

export interface ReferenceInput {
  readonly registry: Registry;
  readonly commands: Readonly<Record<string, CommandDoc>>;
  readonly commonOptions: readonly OptionDoc[];
}

export function referencePages(input: ReferenceInput): ReadonlyMap<string, string> {
  const { registry } = input;
  const pages = new Map<string, string>();
  const add = (name: string, text: string): void => void pages.set(name, `${MARKER}\n\n${text}\n`);
  add('index.md', indexPage(registry));
  add('grammar.md', grammarPage(registry));
  add('config.md', configPage(registry));
  add('problems.md', problemPage(registry));
  add('commands.md', commandPage(input));
  for (const kind of registry.kinds.values()) add(`kinds/${kind.kind}.md`, kindPage(registry, kind));
  return pages;
}

/** Links from pages that stand beside the folder `kinds`. */
const context = (registry: Registry): TableContext => ({
  registry,
  link: (kind) => `[${midSentence(registry.kind(kind)?.title ?? kind)}](kinds/${kind}.md)`,
});

function indexPage(registry: Registry): string {
  const kinds = [...registry.kinds.values()].map((kind) => {
    const rows = registry
      .names(kind.kind)
      .map((name) => [`[${code(name)}](kinds/${kind.kind}.md)`, registry.plugin(kind.kind, name)?.summary ?? '']);
    return blocks(`## [${kind.title}](kinds/${kind.kind}.md)`, kind.summary, table(['name', 'what it is'], rows));
  });
  return blocks(
    '# Reference',
    table(
      ['page', 'holds'],
      [
        ['[Definitions](grammar.md)', 'the fields that every resource, actionable and model has'],
        ['[Config](config.md)', 'the config file'],
        ['[Problems](problems.md)', 'every code, with what to do'],
        ['[Commands](commands.md)', 'the command line'],
      ],
    ),
    kinds,
  );
}

function grammarPage(registry: Registry): string {
  const sections = Object.entries(GRAMMAR).map(([slot, node]) => {
    const kinds = registry.kindsIn(slot);
    const others = kinds.map(({ kind }) => context(registry).link(kind)).join(', ');
    const nested = node.type === 'record' ? `Keys are names. Values: ${node.inner?.meta.doc ?? ''}` : '';
    const more = node.inner?.parts.flatMap((part) => registry.kindsIn(part)) ?? [];
    return blocks(
      `## ${slot.replace(/^[a-z]/, (letter) => letter.toUpperCase())}`,
      node.meta.doc,
      fieldTable(context(registry), node),
      nested,
      others === '' ? '' : `Further fields: ${others}.`,
      more.length === 0 ? '' : `Fields of a value: ${more.map(({ kind }) => context(registry).link(kind)).join(', ')}.`,
    );
  });
  return blocks(
    '# Definitions',
    'Files are JSON with comments and trailing commas. A file holds one definition or a list of them. An object with ' +
      '`resource` is a resource; a model has a name with a leading underscore, which is the file name or the one key of ' +
      'an object. Fields that nobody knows are errors.',
    sections,
  );
}

function configPage(registry: Registry): string {
  return blocks(
    '# Config',
    '`lintel.config.json`; every field may be left out.',
    fieldTable(context(registry), { ...EMPTY_OBJECT, fields: configField(registry).fields }),
  );
}

function problemPage({ codes }: Registry): string {
  const all = Object.entries(codes).sort(([a], [b]) => (a < b ? -1 : 1));
  const of = (keep: (name: string, entry: CodeEntry) => boolean): Record<string, CodeEntry> =>
    Object.fromEntries(all.filter(([name, entry]) => keep(name, entry)));
  const isBoot = (name: string): boolean => Object.hasOwn(BOOT_CODES, name);
  return blocks(
    '# Problems',
    'Codes are stable; words may become better. A word in braces stands for what the problem is about.',
    '## In definitions and in the config',
    codeTable(of((name, { severity }) => severity !== undefined && !isBoot(name))),
    '## In answers',
    'As `code` in a problem document (`application/problem+json`).',
    codeTable(of((_, { status }) => status !== undefined)),
    '## At the start and on the command line',
    codeTable(of(isBoot)),
  );
}

function commandPage({ commands, commonOptions }: ReferenceInput): string {
  const flag = ({ name, value }: OptionDoc): string => code(`--${name}${value === undefined ? '' : ` ${value}`}`);
  const options = (list: readonly OptionDoc[]): string =>
    table(
      ['option', 'meaning'],
      list.map((option) => [flag(option), option.doc]),
    );
  const sections = Object.entries(commands).map(([name, { usage, summary, details, options: own, examples, exits }]) =>
    blocks(
      `## ${name}`,
      `${code(`lintel ${usage}`)}: ${summary}.`,
      details,
      options(own),
      `\`\`\`bash\n${examples.join('\n')}\n\`\`\``,
      table(
        ['exit code', 'meaning'],
        exits.map((exit) => [String(exit.code), exit.doc]),
      ),
    ),
  );
  return blocks(
    '# Commands',
    'Exit code 2: the command line was not understood. Colours are left out when `NO_COLOR` is set or the output is no ' +
      'terminal.',
    options(commonOptions),
    sections,
  );
}
