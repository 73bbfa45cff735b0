/** Completes accessors inside strings: valid roots and what may follow them, according to the plugins' facts. */
import type { PluginFacts } from '../../contract/facts.js';
import type { CompletionItem } from 'vscode-languageserver';
import { CompletionItemKind, InsertTextFormat } from '../protocol.js';
import type { Span } from '../../language/analysis/report.js';
import { Slot } from '../../contract/slot.js';
import type { FieldNode } from '../../language/schema/field-node.js';
import { toFileSpan } from '../json-string.js';
import { pluginMarkdown } from '../describe-fields.js';
import type { CursorContext, DocumentContext } from '../document-context.js';
import { escapeSnippet } from './edit.js';
import { formatSortKey, Rank, snippetItem, textItem, valueItem } from './item.js';
import { tailNames } from './names/index.js';
import type { Name } from './names/name-source.js';

/** The accessor typed before the cursor. */
const BEFORE = /\$([A-Za-z0-9_]*)((?:\.[A-Za-z0-9_-]*)*)$/;
const AFTER = /^[A-Za-z0-9_-]*/;

/** True while an accessor is being typed; then nothing else is offered. */
export const isAccessor = ({ inside }: CursorContext): boolean =>
  inside !== null && BEFORE.test(inside.text.slice(0, inside.offset));

interface Root {
  readonly name: string;
  readonly doc: string;
  readonly facts: PluginFacts;
}

export function accessorItems(view: DocumentContext, site: CursorContext): CompletionItem[] {
  const { inside, cursor } = site;
  const field = site.levels.at(-1)?.field ?? null;
  if (cursor.at !== 'value' || field === null) return [];
  const roots = rootsAt(view, site, field);
  if (roots.length === 0) return [];
  if (inside === null || inside.text === '')
    return cursor.token === null || inside !== null ? createStringItems(view, site, roots) : [];
  const typed = BEFORE.exec(inside.text.slice(0, inside.offset));
  // After a second dollar sign the name belongs to the database.
  if (typed === null || inside.text[typed.index - 1] === '$') return [];
  const [, name = '', tail = ''] = typed;
  const rest = AFTER.exec(inside.text.slice(inside.offset))?.[0].length ?? 0;
  const createSpan = (from: number): Span => toFileSpan(view, inside, from, inside.offset + rest);
  if (tail === '')
    return roots.flatMap((root) => listAccessors(view, site, root)).map(createTextItem(view, createSpan(typed.index)));
  const root = roots.find((one) => one.name === name);
  if (root === undefined) return [];
  const path = tail.slice(1).split('.');
  const last = path.pop() ?? '';
  const names = tailNames(view, site, root.facts, path);
  return names.map((one, i) =>
    textItem(view, createSpan(inside.offset - last.length), String(one.name), i, { ...one, label: String(one.name) }),
  );
}

interface Accessor {
  readonly text: string;
  readonly isOpen: boolean;
  readonly detail?: string | undefined;
  readonly doc?: string | undefined;
}

/** The root, and the root with every name that can follow it. */
function listAccessors(view: DocumentContext, site: CursorContext, { name, doc, facts }: Root): Accessor[] {
  const names = tailNames(view, site, facts, []);
  const tail = facts.tail ?? 'none';
  const isOpen = tail !== 'none' && tail !== 'optional-path';
  const toTailAccessor = (one: Name): Accessor => ({
    text: `$${name}.${one.name}`,
    isOpen: false,
    detail: one.detail,
    doc: one.doc ?? doc,
  });
  return [{ text: isOpen ? `$${name}.` : `$${name}`, isOpen, doc }, ...names.map(toTailAccessor)];
}

const createTextItem =
  (view: DocumentContext, span: { start: number; end: number }) =>
  ({ text, detail, doc }: Accessor, i: number): CompletionItem =>
    textItem(view, span, text, i, { label: text.replace(/\.$/, ''), detail, doc });

/** Items for a string that consists of a single accessor. */
const createStringItems = (view: DocumentContext, site: CursorContext, roots: readonly Root[]): CompletionItem[] =>
  roots
    .flatMap((root) => listAccessors(view, site, root))
    .map(({ text, isOpen, detail, doc }, i) => {
      const offer = { label: text.replace(/\.$/, ''), detail, doc, kind: CompletionItemKind.Variable };
      if (!isOpen) return valueItem(view, site, JSON.stringify(text), Rank.ACCESSORS, i, offer);
      return {
        ...snippetItem(view, site, `"${escapeSnippet(text)}$1"`, i, offer),
        insertTextFormat: InsertTextFormat.Snippet,
        filterText: JSON.stringify(text),
        sortText: `${Rank.ACCESSORS}${formatSortKey(i)}`,
      };
    });

/** The roots that the checker accepts here; none where text is literal. */
function rootsAt({ registry }: DocumentContext, { sort, levels }: CursorContext, field: FieldNode): Root[] {
  const kind = registry.listKinds(Slot.ACCESSOR)[0]?.kind;
  if (kind === undefined) return [];
  const section = levels[1]?.key;
  const isOption = sort === 'config' && [...registry.kinds.values()].some(({ config }) => config?.field === section);
  const forms = field.type === 'either' ? field.options : [field];
  const names = forms.flatMap(({ type, meta, values }): readonly string[] => {
    if (meta.roots !== undefined) return meta.roots;
    if (type === 'value') return registry.names(kind);
    if (meta.plugin !== undefined) return type === 'string' ? registry.listRoots(`plugin:${meta.plugin}`) : [];
    return isOption && type === 'string' && values === null ? registry.listRoots('env') : [];
  });
  const isClosed = forms.some(({ meta }) => meta.leaves === true);
  return [...new Set(names)].flatMap((name) => {
    const facts = registry.plugin(kind, name)?.facts;
    if (facts === undefined || (isClosed && facts.secret === true)) return [];
    return [{ name, facts, doc: pluginMarkdown(registry, kind, name) }];
  });
}
