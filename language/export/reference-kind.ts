/** The reference page of a kind. */
import type { Registry } from '../analysis/registry.js';
import type { Kind, Select } from '../../contract/kind.js';
import { pluginId } from '../../contract/plugin.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import type { CodeEntry } from '../../contract/problem.js';
import { foldSchema } from '../schema/fold.js';
import { formatFieldTable } from './field-table.js';
import type { DescribeContext } from './describe-field.js';
import { createProblemFinder, type FindProblem } from './example-check.js';
import { toAnchor, joinBlocks, formatCode, formatJsonBlock, toMidSentence, formatTable } from './markdown.js';
import { describePluginDeprecation, describeOrigin } from './describe-plugin.js';

export function formatCodeTable(codes: Readonly<Record<string, CodeEntry>>): string {
  const rows = Object.entries(codes).map(([name, { severity, tag, status, message, help }]) => [
    formatCode(name),
    [severity ?? String(status ?? ''), ...(tag === undefined ? [] : [tag])].join(', '),
    message,
    help,
  ]);
  return formatTable(['code', 'severity or status', 'says', 'what to do'], rows);
}

export function createKindPage(registry: Registry, kind: Kind, findProblem: FindProblem): string {
  const context: DescribeContext = {
    registry,
    link: (other) => `[${toMidSentence(registry.kind(other)?.title ?? other)}](${other}.md)`,
  };
  const names = registry.names(kind.kind);
  const facts = Object.entries(kind.facts).map(([name, fact]) => [
    formatCode(name),
    fact.oneOf === undefined ? fact.type : fact.oneOf.map(formatCode).join(', '),
    fact.required ? 'yes' : '',
    fact.doc,
  ]);
  const { config, common } = kind;
  const contents = names.map((name) => [
    `[${formatCode(name)}](${toAnchor(name)})`,
    registry.plugin(kind.kind, name)?.summary ?? '',
  ]);
  return joinBlocks(
    `# ${kind.title}`,
    kind.summary,
    `${describeSlots(kind)} ${describeSelect(kind.select)}`.trim(),
    config === undefined
      ? ''
      : `In the config: ${formatCode(config.field)}${config.many ? ', a map from name to options' : ''}.`,
    names.length < 2 ? '' : formatTable(['name', 'what it is'], contents),
    common === undefined ? '' : joinBlocks('Fields of all:', formatFieldTable(context, foldSchema(common, kind.kind))),
    facts.length === 0
      ? ''
      : joinBlocks('Facts that each plugin states:', formatTable(['fact', 'type', 'required', 'meaning'], facts)),
    kind.handle.length === 0 ? '' : `What a runtime makes has: ${kind.handle.map(formatCode).join(', ')}.`,
    names.map((name) => {
      const spec = registry.plugin(kind.kind, name);
      return spec === undefined ? '' : createPluginSection(context, kind, spec, findProblem);
    }),
  );
}

const describeSlots = ({ slots }: Kind): string =>
  slots.length === 0 ? '' : `Written in ${slots.map(formatCode).join(', ')}.`;

function describeSelect(select: Select): string {
  switch (select.by) {
    case 'always':
      return 'Fields of every plugin may be written.';
    case 'field':
      return `The field ${formatCode(select.field)} names the plugin.`;
    case 'key':
      return `The key is the name of the plugin${select.pick === 'one' ? '; exactly one is written' : ''}.`;
    case 'name':
      return 'The plugin is named in a text.';
    case 'root':
      return 'The upper-case word after a dollar sign, in any text that may contain accessors.';
  }
}

export function createPluginSection(
  context: DescribeContext,
  kind: Kind,
  spec: PluginSpec,
  findProblem = createProblemFinder(context.registry),
): string {
  const { registry } = context;
  const tables = kind.slots.flatMap((slot) => {
    const schema = registry.schema(pluginId(spec), slot);
    if (schema === undefined || (Object.keys(schema.fields).length === 0 && schema.parts.length === 0)) return [];
    const parts = schema.parts.flatMap((part) => registry.listKinds(part)).map((other) => context.link(other.kind));
    return [
      kind.slots.length > 1 ? `Fields in ${formatCode(slot)}:` : '',
      formatFieldTable(context, schema),
      parts.length === 0 ? '' : `And one of: ${parts.join(', ')}.`,
    ];
  });
  return joinBlocks(
    `## ${formatCode(spec.name)}`,
    spec.summary,
    spec.details ?? '',
    describePluginDeprecation(spec),
    tables,
    spec.examples.map(({ title, json }) => joinBlocks(`${title}:`, formatJsonBlock(kind.host(json, spec).json))),
    spec.counterExamples.map((example) => {
      const found = findProblem(spec, example);
      const reason = found === null ? '' : `: ${found.message}`;
      const at = example.at === '' ? '' : ` at ${formatCode(example.at)}`;
      return joinBlocks(`Rejected, ${formatCode(example.code)}${at}${reason}`, formatJsonBlock(example.json));
    }),
    spec.errors === undefined ? '' : formatCodeTable(spec.errors),
    describeOrigin(spec),
  );
}
