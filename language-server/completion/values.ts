/** Completes values: plugin names, enum members, project names, examples, whole objects. */
import type { CompletionItem } from 'vscode-languageserver';
import { CompletionItemKind, CompletionItemTag } from '../protocol.js';
import type { Json } from '../../contract/json.js';
import type { FieldNode } from '../../language/schema/field-node.js';
import { safeMarkdown } from '../safe-markdown.js';
import { pluginMarkdown } from '../describe-fields.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { isAccessor } from './accessors.js';
import { Rank, snippetItem, valueItem, type ItemDescription } from './item.js';
import { namesFor } from './names/index.js';
import { lastNumber } from './names/definition-names.js';
import { formatShort } from './names/name-source.js';
import { commaAfter } from './edit.js';
import { jsonSnippet, valueSnippet } from './snippets.js';
import { listStartingValues, nameResource } from './starting-values.js';
import type { TestSamples, TestValue } from './test-samples.js';
import type { OfferData } from './verify.js';
import { numbersIn, listPatterns, listResourceVariants, listVariants } from './variants.js';

export function valueItems(view: DocumentContext, site: CursorContext, { values }: TestSamples): CompletionItem[] {
  const field = site.levels.at(-1)?.field ?? null;
  if (site.cursor.at !== 'value' || field === null || isAccessor(site)) return [];
  const sampled = values.map((one, i) => sampleItem(view, site, one, i));
  if (sampled.length > 0 && site.levels.length === 1) return sampled;
  // At the root only whole definitions are valid.
  if (site.levels.length === 1 && site.sort !== 'config') return definitionItems(view, site, field);
  const forms = field.type === 'either' ? field.options : [field];
  const items = forms.flatMap((form) => [...literalItems(view, site, form), ...wholeItems(view, site, form)]);
  const list = field.meta.declares === undefined ? [] : (site.levels.at(-2)?.node?.items ?? []);
  const listed = new Set(list.map(({ scalar }) => String(scalar)));
  const known = new Set([...listed, ...items.map(({ label }) => label)]);
  return [
    ...sampled,
    ...items.filter(({ label }) => !listed.has(label)),
    ...exampleItems(
      view,
      site,
      // Whole SQL statements are offered by `sqlItems`.
      [field, ...forms].filter(({ values, meta }) => values === null && meta.language !== 'sql'),
      known,
    ),
  ];
}

function sampleItem(view: DocumentContext, site: CursorContext, { json, label }: TestValue, i: number): CompletionItem {
  const offer = { label: label ?? formatShort(json) };
  return typeof json === 'object' && json !== null
    ? snippetItem(view, site, jsonSnippet(view.registry, json), i, offer)
    : valueItem(view, site, JSON.stringify(json), Rank.NAMES, i, offer);
}

/** Finite sets of literals first, then names declared elsewhere. */
function literalItems(view: DocumentContext, site: CursorContext, field: FieldNode): CompletionItem[] {
  const { registry } = view;
  const { values, meta, type } = field;
  const literal = field.type === 'value' ? field.inner : field;
  const { plugin } = meta;
  const legal: (ItemDescription & { json: Json; tags?: CompletionItemTag[] })[] =
    plugin !== undefined
      ? registry.names(plugin).map((name) => ({
          json: name,
          label: name,
          doc: pluginMarkdown(registry, plugin, name),
          ...(registry.plugin(plugin, name)?.deprecated !== undefined && { tags: [CompletionItemTag.Deprecated] }),
        }))
      : (values ?? literal?.values ?? (literal?.type === 'boolean' ? [true, false] : [])).map((json) => ({
          json,
          label: String(json),
          doc: safeMarkdown(meta.enumDocs?.[String(json)] ?? ''),
        }));
  const enumerated = legal.map(({ json, tags, ...offer }, i) => ({
    ...valueItem(view, site, JSON.stringify(json), Rank.NAMES, i, { ...offer, kind: CompletionItemKind.EnumMember }),
    ...(tags !== undefined && { tags }),
  }));
  const isScalar = type === 'string' || type === 'number' || type === 'value';
  const names = isScalar && legal.length === 0 ? namesFor(view, site, field) : [];
  const named = names.map(({ name, detail, doc }, i) =>
    valueItem(view, site, JSON.stringify(name), Rank.OWN, i, {
      label: String(name),
      detail,
      doc,
      kind: CompletionItemKind.Reference,
    }),
  );
  return [...enumerated, ...named];
}

/** Objects and lists with their required members. */
function wholeItems(view: DocumentContext, site: CursorContext, field: FieldNode): CompletionItem[] {
  const { registry } = view;
  if (field.type === 'object') {
    const numbers = numbersIn(registry, field, lastNumber(site));
    const all = [...listVariants(registry, field), ...listPatterns(registry, field)];
    const variants = all.map(({ label, kind, name, given }, i) => {
      const offer = {
        label: `{ ${label} }`,
        detail: registry.kind(kind)?.title,
        doc: pluginMarkdown(registry, kind, name),
      };
      return startingItem(view, site, field, { ...given, ...numbers }, i, offer);
    });
    if (variants.length > 0) return variants;
  }
  if (field.type !== 'object' && field.type !== 'array' && field.type !== 'record') return [];
  const label = field.type === 'array' ? '[ … ]' : '{ … }';
  return [startingItem(view, site, field, undefined, 0, { label, doc: field.meta.doc })];
}

/** A whole value, with others in its place where it does not check clean. */
function startingItem(
  view: DocumentContext,
  site: CursorContext,
  field: FieldNode,
  given: Json | undefined,
  i: number,
  offer: ItemDescription,
  returned?: string,
): CompletionItem {
  const key = site.levels.at(-1)?.key;
  const name = typeof key === 'string' && given === undefined ? key : undefined;
  const [snippet, instead] = listStartingValues(view, site, { field, name, given, isHere: true, returned });
  const data: OfferData = { instead: () => instead().map((one) => one + commaAfter(view, site)) };
  return { ...snippetItem(view, site, snippet, i, offer), data };
}

/** Examples and the default, unless another item is equal. */
function exampleItems(
  view: DocumentContext,
  site: CursorContext,
  fields: readonly FieldNode[],
  known: ReadonlySet<string>,
): CompletionItem[] {
  const found = new Map<string, ItemDescription>();
  for (const { meta } of fields) {
    const add = (json: Json, detail: string): void => {
      const text = JSON.stringify(json);
      const label = formatShort(json);
      if (known.has(label) || found.has(text)) return;
      found.set(text, { label, detail: meta.unit === undefined ? detail : `${detail} · ${meta.unit}`, doc: meta.doc });
    };
    if (meta.default !== undefined) add(meta.default, 'default');
    for (const example of meta.examples ?? []) add(example, 'example');
  }
  return [...found].map(([text, offer], i) => valueItem(view, site, text, Rank.EXAMPLES, i, offer));
}

/** Whole definitions for an empty file or an empty entry of its list. */
function definitionItems(view: DocumentContext, site: CursorContext, field: FieldNode): CompletionItem[] {
  const { registry } = view;
  if (site.sort === 'resource') {
    const lists = [...registry.expand(field, () => undefined).fields];
    const [returned] = lists.find(([, { field: own }]) => own.inner?.meta.refers?.symbol === 'value') ?? [];
    return listResourceVariants(registry, field).map(({ label, given }, i) => {
      const offer = { label: `resource: ${label}`, detail: 'a whole resource' };
      return startingItem(view, site, field, { ...nameResource(view), ...given }, i, offer, returned);
    });
  }
  if (field.inner === null) return [];
  const [first] = listVariants(registry, field.inner);
  if (first === undefined) return [];
  const snippet = valueSnippet(registry, field, { id: first.given });
  return [snippetItem(view, site, snippet, 0, { label: 'model', detail: 'a whole model' })];
}
