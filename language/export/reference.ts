/** Generates the reference as Markdown from the specs, by file name. Writes no files. */
import { configField } from '../analysis/config.js';
import { Slot } from '../../contract/slot.js';
import { BESIDE_FIELDS, GRAMMAR } from '../analysis/grammar.js';
import type { Registry } from '../analysis/registry.js';
import type { Json } from '../../contract/json.js';
import { EMPTY_OBJECT } from '../schema/field-node.js';
import type { CommandDoc, OptionDoc } from './command-doc.js';
import { fieldTable } from './field-table.js';
import type { WordContext } from './field-words.js';
import { anchor, blocks, code, fenced, midSentence, table } from './markdown.js';
import { configExample, exampleIn } from './reference-examples.js';
import { hooksPage } from './reference-hooks.js';
import { kindPage } from './reference-kind.js';
import { problemPage } from './reference-problems.js';

/** First line of every generated page; identifies outdated generated pages. */
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
  add('hooks.md', hooksPage());
  add('commands.md', commandPage(input));
  for (const kind of registry.kinds.values()) add(`kinds/${kind.kind}.md`, kindPage(registry, kind));
  return pages;
}

/** For pages in the parent folder of `kinds`. */
const context = (registry: Registry): WordContext => ({
  registry,
  link: (kind) => `[${midSentence(registry.kind(kind)?.title ?? kind)}](kinds/${kind}.md)`,
});

function indexPage(registry: Registry): string {
  const kinds = [...registry.kinds.values()].map((kind) => {
    const rows = registry
      .names(kind.kind)
      .map((name) => [
        `[${code(name)}](kinds/${kind.kind}.md${anchor(name)})`,
        registry.plugin(kind.kind, name)?.summary ?? '',
      ]);
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
        ['[Hooks](hooks.md)', 'where a plugin can stand beside every request'],
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
      ...(slot === Slot.MODEL ? ['Beside the fields:', fieldTable(context(registry), BESIDE_FIELDS)] : []),
      others === '' ? '' : `Further fields: ${others}.`,
      more.length === 0 ? '' : `Fields of a value: ${more.map(({ kind }) => context(registry).link(kind)).join(', ')}.`,
    );
  });
  return blocks(
    '# Definitions',
    'Files are JSON with comments and trailing commas. A file holds one definition or a list of them. An object with ' +
      '`resource` is a resource; a model has a name with a leading underscore, which is the file name or the one key of ' +
      'an object. Fields that nobody knows are errors.',
    shown('A resource:', exampleIn(registry, Slot.MODE)),
    shown('A model:', exampleIn(registry, Slot.MODEL_FIELD)),
    sections,
  );
}

const shown = (title: string, json: Json | null): string => (json === null ? '' : blocks(title, fenced(json)));

function configPage(registry: Registry): string {
  const sections = [...registry.kinds.values()].flatMap(({ kind, config }) =>
    config === undefined ? [] : [[code(config.field), config.doc, context(registry).link(kind)]],
  );
  return blocks(
    '# Config',
    '`lintel.config.json`; every field may be left out.',
    shown('Some of its sections, each as the first example of its page has it:', configExample(registry)),
    'Sections in which plugins are chosen:',
    table(['section', 'what it holds', 'plugins'], sections),
    'All fields:',
    fieldTable(context(registry), { ...EMPTY_OBJECT, fields: configField(registry).fields }),
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
