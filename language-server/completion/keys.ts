/** Completes member names: missing fields (required ones first), map entries, and all required members of an empty object. */
import type { CompletionItem } from 'vscode-languageserver';
import type { Json } from '../../contract/json.js';
import { CompletionItemKind, CompletionItemTag, InsertTextFormat } from '../protocol.js';
import { MODEL_SETTINGS } from '../../language/analysis/grammar.js';
import type { Expansion, OwnedField } from '../../language/analysis/registry.js';
import type { FieldNode } from '../../language/schema/field-node.js';
import { fieldMarkdown, pluginMarkdown } from '../describe-fields.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { commaBefore, commaAfter, hasColon, replaceToken } from './edit.js';
import { formatSortKey, snippetItem } from './item.js';
import { keysFor } from './names/index.js';
import { lastNumber } from './names/definition-names.js';
import { jsonSnippet, membersSnippet, valueSnippet, type SnippetSources } from './snippets.js';
import { findFreeName, listOtherTexts, listStartingValues } from './starting-values.js';
import type { TestSample, TestSamples } from './test-samples.js';
import type { OfferData } from './verify.js';
import { getPluginExample, numbersIn, listPatterns, listVariants } from './variants.js';

export function keyItems(view: DocumentContext, site: CursorContext, { members }: TestSamples): CompletionItem[] {
  const { cursor, levels } = site;
  const object = levels.at(-1);
  if (cursor.at !== 'key' || object === undefined || object.field === null) return [];
  const written = new Set(object.node?.members.map(({ key }) => key));
  // The key being typed does not count as present.
  written.delete(cursor.token?.text ?? '');
  const { field, expansion } = object;
  const sampled = [...members]
    .filter(([name]) => !written.has(name) && expansion?.fields.has(name) !== true)
    .map(([name, sample], i) => sampledItem(view, site, name, sample, i));
  if (expansion === null) {
    const isModel = levels.length === 1 && site.sort === 'model';
    const others = mapItems(view, site, field, new Set([...written, ...members.keys()]));
    return [...sampled, ...others, ...(isModel ? modelOptionItems(view, site, written) : [])];
  }
  const offered = [...expansion.fields].filter(([name]) => !written.has(name) && !isAlternativeChosen(expansion, name));
  const fields = [
    ...sampled,
    ...offered.map(([name, owned], i) => fieldItem(view, site, name, owned, expansion, i, members.get(name)?.json)),
  ];
  return written.size > 0 || cursor.token !== null ? fields : [...fields, ...variantItems(view, site, field)];
}

/** True if the key belongs to a choice in which another key is already present. */
const isAlternativeChosen = ({ choices }: Expansion, name: string): boolean =>
  choices.some(
    ({ kind, names, present }) =>
      kind.select.by === 'key' &&
      kind.select.pick === 'one' &&
      names.includes(name) &&
      present.some((one) => one !== name),
  );

const isChoice = ({ choices }: Expansion, name: string): boolean =>
  choices.some(
    ({ kind, names, present }) =>
      kind.select.by === 'key' && kind.select.pick === 'one' && names.includes(name) && present.length === 0,
  );

function fieldItem(
  view: DocumentContext,
  site: CursorContext,
  name: string,
  { field, plugin }: OwnedField,
  expansion: Expansion,
  i: number,
  sample?: Json,
): CompletionItem {
  const isNeeded = field.required || isChoice(expansion, name);
  const rank = isNeeded ? '0' : field.meta.advanced === true ? '2' : '1';
  const [kind = '', own = ''] = plugin?.split(':') ?? [];
  // The example of a plugin selected by key is the value of that key.
  const isPlugin = own === name && view.registry.kind(kind)?.select.by === 'key';
  const isNumber = field.type === 'number' && field.meta.declares !== undefined;
  const next = isNumber ? lastNumber(site)(field.meta.declares ?? 'value') + 1 : undefined;
  const given = isPlugin ? getPluginExample(view.registry, kind, own) : (sample ?? next);
  const item = memberItem(view, site, name, ...listStartingValues(view, site, { field, name, given }));
  return {
    ...item,
    detail: [isNeeded ? 'required' : '', plugin ?? ''].filter((part) => part !== '').join(' · '),
    documentation: {
      kind: 'markdown',
      value: [fieldMarkdown(view.registry, name, field), own === name ? pluginMarkdown(view.registry, kind, own) : '']
        .filter((text) => text !== '')
        .join('\n\n'),
    },
    sortText: `${rank}${formatSortKey(i)}`,
    ...(field.meta.deprecated !== undefined && { tags: [CompletionItemTag.Deprecated] }),
  };
}

function sampledItem(
  view: DocumentContext,
  site: CursorContext,
  name: string,
  { json, detail }: TestSample,
  i: number,
): CompletionItem {
  const value = json === undefined ? '$1' : jsonSnippet(view.registry, json);
  return { ...memberItem(view, site, name, value, () => ['$1']), detail, sortText: `0${formatSortKey(i)}` };
}

/** `instead`: other values, for where the first one does not check clean. */
function memberItem(
  view: DocumentContext,
  site: CursorContext,
  name: string,
  value: string,
  instead: () => readonly string[] = () => [],
): CompletionItem {
  const quoted = JSON.stringify(name);
  const write = (one: string): string => `${quoted}: ${one}${commaAfter(view, site)}`;
  const text = hasColon(view, site) ? quoted : write(value);
  const data: OfferData | undefined = hasColon(view, site) ? undefined : { instead: () => instead().map(write) };
  return {
    label: name,
    kind: CompletionItemKind.Property,
    filterText: quoted,
    // If only the name is replaced, a dollar sign is literal.
    insertTextFormat: hasColon(view, site) ? InsertTextFormat.PlainText : InsertTextFormat.Snippet,
    textEdit: replaceToken(view, site, text),
    additionalTextEdits: commaBefore(view, site),
    ...(data !== undefined && { data }),
  };
}

const modelOptionItems = (view: DocumentContext, site: CursorContext, written: ReadonlySet<string>): CompletionItem[] =>
  Object.entries(MODEL_SETTINGS.fields).flatMap(([name, field], i) => {
    if (written.has(name) || site.definition?.unique?.pointer.endsWith(`/${name}`) === true) return [];
    const item = memberItem(view, site, name, ...listStartingValues(view, site, { field, name }));
    return [
      {
        ...item,
        documentation: { kind: 'markdown', value: fieldMarkdown(view.registry, name, field) },
        sortText: `3${formatSortKey(i)}`,
      },
    ];
  });

/** Keys of a map: names used elsewhere, and a new entry of each kind. */
function mapItems(
  view: DocumentContext,
  site: CursorContext,
  field: FieldNode,
  written: ReadonlySet<string>,
): CompletionItem[] {
  const { registry } = view;
  const { inner } = field;
  if (field.type !== 'record' && field.type !== 'value') return [];
  const [value, instead] =
    inner === null || field.type === 'value' ? ['$1', () => []] : listStartingValues(view, site, { field: inner });
  const names = keysFor(view, site, field).filter(({ name }) => !written.has(String(name)));
  const named = names.map(({ name, detail, doc }, i) => ({
    ...memberItem(view, site, String(name), value, instead),
    ...(detail !== undefined && { detail }),
    ...(doc !== undefined && { documentation: { kind: 'markdown' as const, value: doc } }),
    sortText: `0${formatSortKey(i)}`,
  }));
  if (inner?.type !== 'object' || hasColon(view, site)) return named;
  const entries = listVariants(registry, inner).map(({ label, kind, name, given }, i) => {
    const key = JSON.stringify(
      `\${1:${findFreeName('name', new Set(site.levels.at(-1)?.node?.members.map((one) => one.key)))}}`,
    );
    const snippet = `${key}: ${valueSnippet(registry, inner, given, 2)}`;
    const offer = {
      label: `new ${label}`,
      detail: registry.kind(kind)?.title,
      doc: pluginMarkdown(registry, kind, name),
    };
    const data: OfferData = {
      instead: () =>
        listOtherTexts(
          view,
          site,
          (sources) => `${key}: ${valueSnippet(registry, inner, given, 2, sources)}${commaAfter(view, site)}`,
        ),
    };
    return { ...snippetItem(view, site, snippet, i, offer), filterText: JSON.stringify(label), data };
  });
  return [...named, ...entries];
}

/** The required members of each variant, inside existing braces. */
function variantItems(view: DocumentContext, site: CursorContext, field: FieldNode): CompletionItem[] {
  const { registry } = view;
  const numbers = numbersIn(registry, field, lastNumber(site));
  const all = [...listVariants(registry, field), ...listPatterns(registry, field)];
  return all.map(({ label, kind, name, given }, i) => {
    const write = (sources?: SnippetSources): string =>
      membersSnippet(registry, field, { ...given, ...numbers }, sources);
    const data: OfferData = {
      instead: () => listOtherTexts(view, site, (sources) => write(sources) + commaAfter(view, site)),
    };
    const offer = {
      label: `{ ${label} }`,
      detail: registry.kind(kind)?.title,
      doc: pluginMarkdown(registry, kind, name),
    };
    return { ...snippetItem(view, site, write(), i, offer), data };
  });
}
