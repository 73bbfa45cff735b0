/** Generates the reference page of a kind: selection, fields, valid and invalid examples. */
import type { Registry } from '../analysis/registry.js';
import type { Kind, Select } from '../../contract/kind.js';
import { pluginId, type PluginSpec } from '../../contract/plugin.js';
import type { CodeEntry } from '../../contract/problem.js';
import { fold } from '../schema/fold.js';
import { fieldTable } from './field-table.js';
import type { WordContext } from './field-words.js';
import { judgeCounterExample } from './hosted.js';
import { anchor, blocks, code, fenced, midSentence, table } from './markdown.js';
import { deprecationOfPlugin, originOf } from './plugin-words.js';

export function codeTable(codes: Readonly<Record<string, CodeEntry>>): string {
  const rows = Object.entries(codes).map(([name, { severity, tag, status, message, help }]) => [
    code(name),
    [severity ?? String(status ?? ''), ...(tag === undefined ? [] : [tag])].join(', '),
    message,
    help,
  ]);
  return table(['code', 'severity or status', 'says', 'what to do'], rows);
}

export function kindPage(registry: Registry, kind: Kind): string {
  const context: WordContext = {
    registry,
    link: (other) => `[${midSentence(registry.kind(other)?.title ?? other)}](${other}.md)`,
  };
  const names = registry.names(kind.kind);
  const facts = Object.entries(kind.facts).map(([name, fact]) => [
    code(name),
    fact.oneOf === undefined ? fact.type : fact.oneOf.map(code).join(', '),
    fact.required ? 'yes' : '',
    fact.doc,
  ]);
  const { config, common } = kind;
  const contents = names.map((name) => [
    `[${code(name)}](${anchor(name)})`,
    registry.plugin(kind.kind, name)?.summary ?? '',
  ]);
  return blocks(
    `# ${kind.title}`,
    kind.summary,
    `${standsIn(kind)} ${selectWords(kind.select)}`.trim(),
    config === undefined
      ? ''
      : `In the config: ${code(config.field)}${config.many ? ', a map from name to options' : ''}.`,
    names.length < 2 ? '' : table(['name', 'what it is'], contents),
    common === undefined ? '' : blocks('Fields of all:', fieldTable(context, fold(common, kind.kind))),
    facts.length === 0
      ? ''
      : blocks('Facts that each plugin states:', table(['fact', 'type', 'required', 'meaning'], facts)),
    kind.handle.length === 0 ? '' : `What a runtime makes has: ${kind.handle.map(code).join(', ')}.`,
    names.map((name) => {
      const spec = registry.plugin(kind.kind, name);
      return spec === undefined ? '' : pluginSection(context, kind, spec);
    }),
  );
}

const standsIn = ({ slots }: Kind): string => (slots.length === 0 ? '' : `Stands in ${slots.map(code).join(', ')}.`);

function selectWords(select: Select): string {
  switch (select.by) {
    case 'always':
      return 'Fields of every plugin may be written.';
    case 'field':
      return `The field ${code(select.field)} names the plugin.`;
    case 'key':
      return `The key is the name of the plugin${select.pick === 'one' ? '; exactly one is written' : ''}.`;
    case 'name':
      return 'The plugin is named in a text.';
    case 'root':
      return 'The upper-case word behind a dollar sign, in any text that may hold accessors.';
  }
}

function pluginSection(context: WordContext, kind: Kind, spec: PluginSpec): string {
  const { registry } = context;
  const tables = kind.slots.flatMap((slot) => {
    const schema = registry.schema(pluginId(spec), slot);
    if (schema === undefined || (Object.keys(schema.fields).length === 0 && schema.parts.length === 0)) return [];
    const parts = schema.parts.flatMap((part) => registry.kindsIn(part)).map((other) => context.link(other.kind));
    return [
      kind.slots.length > 1 ? `Fields in ${code(slot)}:` : '',
      fieldTable(context, schema),
      parts.length === 0 ? '' : `And one of: ${parts.join(', ')}.`,
    ];
  });
  return blocks(
    `## ${code(spec.name)}`,
    spec.summary,
    spec.details ?? '',
    deprecationOfPlugin(spec),
    tables,
    spec.examples.map(({ title, json }) => blocks(`${title}:`, fenced(kind.host(json, spec).json))),
    spec.counterExamples.map((example) => {
      const found = judgeCounterExample(registry, spec, example)?.found;
      const says = found === undefined || found === null ? '' : `: ${found.message}`;
      const at = example.at === '' ? '' : ` at ${code(example.at)}`;
      return blocks(`Refused, ${code(example.code)}${at}${says}`, fenced(example.json));
    }),
    spec.errors === undefined ? '' : codeTable(spec.errors),
    originOf(spec),
  );
}
