/** The reference as Markdown, by file name. */
import { getConfigField } from '../analysis/config.js';
import { Slot } from '../../contract/slot.js';
import { MODEL_SETTINGS, GRAMMAR, ROOT_FIELDS } from '../analysis/grammar.js';
import type { Registry } from '../analysis/registry.js';
import type { Json, JsonObject } from '../../contract/json.js';
import { EMPTY_OBJECT } from '../schema/field-node.js';
import type { CommandDoc, OptionDoc } from './command-doc.js';
import { formatFieldTable } from './field-table.js';
import type { DescribeContext } from './describe-field.js';
import { toAnchor, joinBlocks, formatCode, formatJsonBlock, toMidSentence, formatTable } from './markdown.js';
import { createProblemFinder, listHostProblems } from './example-check.js';
import type { Kind } from '../../contract/kind.js';
import { HOOK_NAMES, HOOK_DOCS, type HookDoc } from '../../contract/hook-docs.js';
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
  const findProblem = createProblemFinder(registry);
  const pages = new Map<string, string>();
  const add = (name: string, text: string): void => void pages.set(name, `${MARKER}\n\n${text}\n`);
  add('index.md', createIndexPage(registry));
  add('grammar.md', createGrammarPage(registry));
  add('config.md', createConfigPage(registry));
  add('problems.md', createProblemPage(registry, findProblem));
  add('hooks.md', createHooksPage());
  add('commands.md', createCommandPage(input));
  for (const kind of registry.kinds.values()) add(`kinds/${kind.kind}.md`, createKindPage(registry, kind, findProblem));
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
      ...(slot === Slot.MODEL
        ? ['Next to the fields:', formatFieldTable(createContext(registry), MODEL_SETTINGS)]
        : []),
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

/** Characters of JSON; longer examples are too specific. */
const LONGEST = 500;

/** The file around the largest short example of the slot's plugins. */
function findExample(registry: Registry, slot: string): Json | null {
  const all = registry.listKinds(slot).flatMap((kind) =>
    registry.names(kind.kind).flatMap((name) => {
      const spec = registry.plugin(kind.kind, name);
      return spec === undefined ? [] : spec.examples.map(({ json }) => kind.host(json, spec).json);
    }),
  );
  const measureSize = (json: Json): number => JSON.stringify(json).length;
  const short = all.filter((json) => measureSize(json) <= LONGEST);
  return short.sort((a, b) => measureSize(b) - measureSize(a))[0] ?? all[0] ?? null;
}

/** Each kind's section, as long as the whole stays valid. */
function createConfigExample(registry: Registry): Json | null {
  let all: JsonObject = {};
  for (const kind of registry.kinds.values()) {
    const own = kind.config === undefined ? null : findFirstExample(registry, kind);
    if (own === null) continue;
    const wider = { ...all, ...own };
    if (listHostProblems(registry, { file: 'config', json: wider, at: '' }).length === 0) all = wider;
  }
  return Object.keys(all).length === 0 ? null : all;
}

function findFirstExample(registry: Registry, kind: Kind): JsonObject | null {
  for (const name of registry.names(kind.kind)) {
    const spec = registry.plugin(kind.kind, name);
    const example = spec?.examples[0];
    if (spec !== undefined && example !== undefined) return kind.host(example.json, spec).json;
  }
  return null;
}

const MAY: Readonly<Record<HookDoc['may'], (doc: HookDoc) => string>> = {
  look: () => 'It observes; its return value is ignored.',
  change: ({ given: [first = ''] }) => `It returns ${formatCode(first)}, changed or unchanged.`,
  answer: () => 'It returns nothing, or `done(value)`, which skips everything after it.',
};

function createHooksPage(): string {
  const rows = HOOK_NAMES.map((name) => {
    const { when, given, may } = HOOK_DOCS[name];
    return [`[${formatCode(name)}](#${name})`, when, given.map(formatCode).join(', '), may];
  });
  const sections = HOOK_NAMES.map((name) => {
    const doc = HOOK_DOCS[name];
    return joinBlocks(
      `## ${formatCode(name)}`,
      `${doc.when}.`,
      `A tap is given ${doc.given.map(formatCode).join(' and ')}. ${MAY[doc.may](doc)} ${
        doc.sync === true ? 'It must not wait.' : 'It may wait: a promise is awaited.'
      }`,
      doc.more ?? '',
      `\`\`\`ts\n${doc.example}\n\`\`\``,
    );
  });
  return joinBlocks(
    '# Hooks',
    'A hook is for behaviour that every request has, or the whole process. What depends on a field of a definition is a ' +
      'step that a plugin compiles instead. A plugin taps hooks in the `register` of its runtime:',
    '```ts\nregister(hooks) {\n  hooks.tap(name, tap, options);\n}\n```',
    formatTable(
      ['option', 'meaning'],
      [
        ['`stage`', 'A number that orders the taps; `Stage` has names for some. Without it, `Stage.NORMAL`.'],
        ['`before`', 'Ids of plugins whose taps run after this one.'],
        ['`mode`', 'For `execute` only: the mode whose execution is tapped.'],
      ],
    ),
    'A hook that does not exist, a tap after the start, and a value other than the ones below are errors. What a tap throws ' +
      'fails the request, with the name of the plugin in the log. A hook without taps costs nothing.',
    formatTable(['hook', 'when', 'a tap is given', 'it may'], rows),
    sections,
  );
}
