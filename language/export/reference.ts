/** Generates the reference as Markdown from the specs, by file name. Writes no files. */
import { getConfigField } from '../analysis/config.js';
import { Slot } from '../../contract/slot.js';
import { BESIDE_FIELDS, GRAMMAR, ROOT_FIELDS } from '../analysis/grammar.js';
import type { Registry } from '../analysis/registry.js';
import type { Json } from '../../contract/json.js';
import { EMPTY_OBJECT } from '../schema/field-node.js';
import type { CommandDoc, OptionDoc } from './command-doc.js';
import { formatFieldTable } from './field-table.js';
import type { DescribeContext } from './describe-field.js';
import { toAnchor, joinBlocks, formatCode, formatJsonBlock, toMidSentence, formatTable } from './markdown.js';
import { createConfigExample, findExample } from './reference-examples.js';
import { createHooksPage } from './reference-hooks.js';
import { createKindPage } from './reference-kind.js';
import { createProblemPage } from './reference-problems.js';

/** First line of every generated page; identifies outdated generated pages. */
export const MARKER = '<!-- Made by `lintel docs` from the specs; edits are lost. -->';

export interface ReferenceInput {
  readonly registry: Registry;
  readonly commands: Readonly<Record<string, CommandDoc>>;
  readonly commonOptions: readonly OptionDoc[];
}

export function createReferencePages(input: ReferenceInput): ReadonlyMap<string, string> {
  const { registry } = input;
  const pages = new Map<string, string>();
  const add = (name: string, text: string): void => void pages.set(name, `${MARKER}\n\n${text}\n`);
  add('index.md', createIndexPage(registry));
  add('grammar.md', createGrammarPage(registry));
  add('config.md', createConfigPage(registry));
  add('problems.md', createProblemPage(registry));
  add('hooks.md', createHooksPage());
  add('commands.md', createCommandPage(input));
  for (const kind of registry.kinds.values()) add(`kinds/${kind.kind}.md`, createKindPage(registry, kind));
  return pages;
}

/** For pages in the parent folder of `kinds`. */
const createContext = (registry: Registry): DescribeContext => ({
  registry,
  link: (kind) => `[${toMidSentence(registry.kind(kind)?.title ?? kind)}](kinds/${kind}.md)`,
});

function createIndexPage(registry: Registry): string {
  const kinds = [...registry.kinds.values()].map((kind) => {
    const rows = registry
      .names(kind.kind)
      .map((name) => [
        `[${formatCode(name)}](kinds/${kind.kind}.md${toAnchor(name)})`,
        registry.plugin(kind.kind, name)?.summary ?? '',
      ]);
    return joinBlocks(
      `## [${kind.title}](kinds/${kind.kind}.md)`,
      kind.summary,
      formatTable(['name', 'what it is'], rows),
    );
  });
  return joinBlocks(
    '# Reference',
    formatTable(
      ['page', 'holds'],
      [
        ['[Definitions](grammar.md)', 'the fields that every resource, actionable and model has'],
        ['[Config](config.md)', 'the config file'],
        ['[Problems](problems.md)', 'every code, with what to do'],
        ['[Commands](commands.md)', 'the command line'],
        ['[Hooks](hooks.md)', 'where a plugin can observe or change every request'],
      ],
    ),
    kinds,
  );
}

function createGrammarPage(registry: Registry): string {
  const sections = Object.entries(GRAMMAR).map(([slot, node]) => {
    const kinds = registry.listKinds(slot);
    const others = kinds.map(({ kind }) => createContext(registry).link(kind)).join(', ');
    const nested = node.type === 'record' ? `Keys are names. Values: ${node.inner?.meta.doc ?? ''}` : '';
    const more = node.inner?.parts.flatMap((part) => registry.listKinds(part)) ?? [];
    return joinBlocks(
      `## ${slot.replace(/^[a-z]/, (letter) => letter.toUpperCase())}`,
      node.meta.doc,
      formatFieldTable(createContext(registry), node),
      nested,
      ...(slot === Slot.MODEL ? ['Next to the fields:', formatFieldTable(createContext(registry), BESIDE_FIELDS)] : []),
      others === '' ? '' : `Further fields: ${others}.`,
      more.length === 0
        ? ''
        : `Fields of a value: ${more.map(({ kind }) => createContext(registry).link(kind)).join(', ')}.`,
    );
  });
  return joinBlocks(
    '# Definitions',
    'Files are JSON with comments and trailing commas. A file contains one definition or a list of them. An object with ' +
      '`resource` is a resource; a model has a name with a leading underscore, which is the file name or the one key of ' +
      'an object. Unknown fields are errors.',
    formatExample('A resource:', findExample(registry, Slot.MODE)),
    formatExample('A model:', findExample(registry, Slot.MODEL_FIELD)),
    sections,
    '## Tests',
    'A file `*.test.json` contains the cases of one group. `lintel test` runs them; they are never served.',
    formatFieldTable(createContext(registry), ROOT_FIELDS.test),
  );
}

const formatExample = (title: string, json: Json | null): string =>
  json === null ? '' : joinBlocks(title, formatJsonBlock(json));

function createConfigPage(registry: Registry): string {
  const sections = [...registry.kinds.values()].flatMap(({ kind, config }) =>
    config === undefined ? [] : [[formatCode(config.field), config.doc, createContext(registry).link(kind)]],
  );
  return joinBlocks(
    '# Config',
    '`lintel.config.json`; every field may be left out.',
    formatExample('Some of its sections, each as the first example of its page has it:', createConfigExample(registry)),
    'Sections in which plugins are chosen:',
    formatTable(['section', 'what it holds', 'plugins'], sections),
    'All fields:',
    formatFieldTable(createContext(registry), { ...EMPTY_OBJECT, fields: getConfigField(registry).fields }),
  );
}

function createCommandPage({ commands, commonOptions }: ReferenceInput): string {
  const formatFlag = ({ name, value }: OptionDoc): string =>
    formatCode(`--${name}${value === undefined ? '' : ` ${value}`}`);
  const formatOptions = (list: readonly OptionDoc[]): string =>
    formatTable(
      ['option', 'meaning'],
      list.map((option) => [formatFlag(option), option.doc]),
    );
  const sections = Object.entries(commands).map(([name, { usage, summary, details, options: own, examples, exits }]) =>
    joinBlocks(
      `## ${name}`,
      `${formatCode(`lintel ${usage}`)}: ${summary}.`,
      details,
      formatOptions(own),
      `\`\`\`bash\n${examples.join('\n')}\n\`\`\``,
      formatTable(
        ['exit code', 'meaning'],
        exits.map((exit) => [String(exit.code), exit.doc]),
      ),
    ),
  );
  return joinBlocks(
    '# Commands',
    'Exit code 2: the command line was not understood. Colours are left out when `NO_COLOR` is set or the output is no ' +
      'terminal.',
    formatOptions(commonOptions),
    sections,
  );
}
