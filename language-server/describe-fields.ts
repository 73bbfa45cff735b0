/** Describes fields and plugins as in the reference; safe for untrusted specs. */
import type { PluginSpec } from '../contract/plugin-spec.js';
import type { Json } from '../contract/json.js';
import type { Registry } from '../language/analysis/registry.js';
import {
  describeBounds,
  describeDeprecation,
  listRemarks,
  describeType,
  describeValues,
} from '../language/export/describe-field.js';
import { joinBlocks, formatJsonBlock, toMidSentence } from '../language/export/markdown.js';
import { describePluginDeprecation, describeOrigin } from '../language/export/describe-plugin.js';
import { formatLargerUnits } from '../language/strings/format-quantity.js';
import type { FieldNode } from '../language/schema/field-node.js';
import { toCodeBlock, toCodeSpan, safeMarkdown } from './safe-markdown.js';

/** Maximum length of an inline example. */
const SHORT = 60;
/** Maximum number of listed names. */
const MANY = 24;

/** `page`: URL of further documentation. */
export function fieldMarkdown(registry: Registry, name: string, field: FieldNode, page: string | null = null): string {
  const { meta, required } = field;
  const formatKindLink = (kind: string): string => toMidSentence(registry.kind(kind)?.title ?? kind);
  const traits = [describeType({ registry, link: formatKindLink }, field), ...(required ? ['required'] : [])];
  const bounds = describeBounds(field);
  const isMenu = meta.plugin !== undefined && field.type !== 'object';
  return joinBlocks(
    `**${toCodeSpan(name)}**: ${safeMarkdown(traits.join(', '))}`,
    describeDeprecation(field).map(safeMarkdown),
    safeMarkdown(meta.doc),
    bounds === '' ? '' : safeMarkdown(`Takes: ${bounds}`),
    describeValues(field)
      .map((value) => `- ${safeMarkdown(value)}`)
      .join('\n'),
    isMenu ? `One of: ${formatNames(registry.names(meta.plugin ?? ''))}` : '',
    meta.default === undefined ? '' : `Default: ${formatValue(meta.default, meta.unit)}`,
    formatExamples(field),
    listRemarks(field).map(safeMarkdown),
    page === null ? '' : `[Reference](<${page}>)`,
  );
}

export function pluginMarkdown(registry: Registry, kind: string, name: string, page: string | null = null): string {
  const spec = registry.plugin(kind, name);
  if (spec === undefined) return '';
  const title = toMidSentence(registry.kind(kind)?.title ?? kind);
  return joinBlocks(
    `**${toCodeSpan(name)}**: ${safeMarkdown(title)}`,
    safeMarkdown(describePluginDeprecation(spec)),
    safeMarkdown(spec.summary),
    safeMarkdown(spec.details ?? ''),
    formatExample(spec),
    safeMarkdown(describeOrigin(spec)),
    page === null ? '' : `[Reference](<${page}>)`,
  );
}

/** E.g. `3600 (1 hour)`. */
function formatValue(value: Json, unit: string | undefined): string {
  const larger = typeof value === 'number' && unit !== undefined ? formatLargerUnits(value, unit) : null;
  return `${toCodeSpan(JSON.stringify(value))}${larger === null ? '' : ` (${larger})`}`;
}

export function formatNames(names: readonly string[]): string {
  const more = names.length > MANY ? ` and ${names.length - MANY} more` : '';
  return `${names.slice(0, MANY).map(toCodeSpan).join(', ')}${more}`;
}

function formatExamples({ meta }: FieldNode): string {
  const { examples = [], unit } = meta;
  if (examples.length === 0) return '';
  const isShort = examples.every((one) => JSON.stringify(one).length <= SHORT);
  if (isShort) return `Example: ${examples.map((one) => formatValue(one, unit)).join(', ')}`;
  return joinBlocks('Example:', jsonBlock(examples[0] ?? null));
}

function formatExample({ examples }: PluginSpec): string {
  const [first] = examples;
  if (first === undefined) return '';
  const text = JSON.stringify(first.json);
  return text.length <= SHORT
    ? `${safeMarkdown(first.title)}: ${toCodeSpan(text)}`
    : joinBlocks(`${safeMarkdown(first.title)}:`, jsonBlock(first.json));
}

/** Replaces the reference's fence by one that the content cannot end. */
const jsonBlock = (json: Json): string =>
  toCodeBlock(formatJsonBlock(json).split('\n').slice(1, -1).join('\n'), 'json');
