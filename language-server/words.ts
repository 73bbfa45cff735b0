/** Describes fields and plugins as in the reference. Shared by hover and completion; safe for untrusted specs. */
import type { PluginSpec } from '../contract/plugin.js';
import type { Json } from '../contract/json.js';
import type { Registry } from '../language/analysis/registry.js';
import { boundsOf, deprecationOf, remarksOf, typeOf, valuesOf } from '../language/export/field-words.js';
import { blocks, fenced, midSentence } from '../language/export/markdown.js';
import { deprecationOfPlugin, originOf } from '../language/export/plugin-words.js';
import { inLargerUnits } from '../language/strings/quantities.js';
import type { FieldNode } from '../language/schema/field-node.js';
import { inBlock, inCode, safeMarkdown } from './safe-markdown.js';

/** Maximum length of an inline example. */
const SHORT = 60;
/** Maximum number of listed names. */
const MANY = 24;

/** `page`: URL of further documentation. */
export function fieldMarkdown(registry: Registry, name: string, field: FieldNode, page: string | null = null): string {
  const { meta, required } = field;
  const link = (kind: string): string => midSentence(registry.kind(kind)?.title ?? kind);
  const traits = [typeOf({ registry, link }, field), ...(required ? ['required'] : [])];
  const bounds = boundsOf(field);
  const isMenu = meta.plugin !== undefined && field.type !== 'object';
  return blocks(
    `**${inCode(name)}**: ${safeMarkdown(traits.join(', '))}`,
    deprecationOf(field).map(safeMarkdown),
    safeMarkdown(meta.doc),
    bounds === '' ? '' : safeMarkdown(`Takes: ${bounds}`),
    valuesOf(field)
      .map((value) => `- ${safeMarkdown(value)}`)
      .join('\n'),
    isMenu ? `One of: ${namesOf(registry.names(meta.plugin ?? ''))}` : '',
    meta.default === undefined ? '' : `Default: ${valueWords(meta.default, meta.unit)}`,
    examplesOf(field),
    remarksOf(field).map(safeMarkdown),
    page === null ? '' : `[Reference](<${page}>)`,
  );
}

export function pluginMarkdown(registry: Registry, kind: string, name: string, page: string | null = null): string {
  const spec = registry.plugin(kind, name);
  if (spec === undefined) return '';
  const title = midSentence(registry.kind(kind)?.title ?? kind);
  return blocks(
    `**${inCode(name)}**: ${safeMarkdown(title)}`,
    safeMarkdown(deprecationOfPlugin(spec)),
    safeMarkdown(spec.summary),
    safeMarkdown(spec.details ?? ''),
    exampleOf(spec),
    safeMarkdown(originOf(spec)),
    page === null ? '' : `[Reference](<${page}>)`,
  );
}

/** E.g. `3600 (1 hour)`. */
function valueWords(value: Json, unit: string | undefined): string {
  const said = typeof value === 'number' && unit !== undefined ? inLargerUnits(value, unit) : null;
  return `${inCode(JSON.stringify(value))}${said === null ? '' : ` (${said})`}`;
}

export function namesOf(names: readonly string[]): string {
  const more = names.length > MANY ? ` and ${names.length - MANY} more` : '';
  return `${names.slice(0, MANY).map(inCode).join(', ')}${more}`;
}

function examplesOf({ meta }: FieldNode): string {
  const { examples = [], unit } = meta;
  if (examples.length === 0) return '';
  const isShort = examples.every((one) => JSON.stringify(one).length <= SHORT);
  if (isShort) return `Example: ${examples.map((one) => valueWords(one, unit)).join(', ')}`;
  return blocks('Example:', jsonBlock(examples[0] ?? null));
}

function exampleOf({ examples }: PluginSpec): string {
  const [first] = examples;
  if (first === undefined) return '';
  const text = JSON.stringify(first.json);
  return text.length <= SHORT
    ? `${safeMarkdown(first.title)}: ${inCode(text)}`
    : blocks(`${safeMarkdown(first.title)}:`, jsonBlock(first.json));
}

/** Replaces the reference's fence by one that the content cannot end. */
const jsonBlock = (json: Json): string => inBlock(fenced(json).split('\n').slice(1, -1).join('\n'), 'json');
