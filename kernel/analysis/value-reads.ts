/**
 * Every place of a resource at which a value of a request is read, with where that value comes from: parameters of queries, values
 * in documents, calls, messages, keys of caches, identifiers of limits. For checks, the compiler and editors; reports nothing.
 */
import { spotInString } from '../source/escapes.js';
import type { LocatedNode } from '../source/tree.js';
import { payloadReaders } from './checks/readers.js';
import type { DocumentQuery, SqlText } from './finds.js';
import { columnsMet } from './met-columns.js';
import type { Definition, ParameterDecision } from './model.js';
import type { Registry } from './registry.js';
import { inside, type Spot } from './report.js';
import type { Source, Sources } from './sources.js';

export interface ValueRead {
  /** Key of the actionable; null: a place of the resource. */
  readonly action: string | null;
  /** The text it stands in. */
  readonly node: LocatedNode;
  /** The name, or the accessor, in its file. */
  readonly spot: Spot;
  /** `list`: the list that the work is repeated for. */
  readonly form: 'word' | 'accessor' | 'list';
  /** First word included; empty for the payload as a whole. */
  readonly path: readonly string[];
  /** Null for the payload as a whole. */
  readonly source: Source | null;
  /** The query whose value it is, or in which it stands. */
  readonly query: SqlText | DocumentQuery | null;
  /** Columns, and fields of documents, that it is written to or compared with, as far as the text shows. */
  readonly columns: readonly string[];
  /** Read when the work of its actionable is done. */
  readonly afterwards: boolean;
}

/** Of linked resources and of finished models. */
export interface Readable {
  readonly definition: Definition;
  readonly sources: Sources;
  readonly actions: readonly {
    readonly key: string;
    readonly node: LocatedNode;
    readonly parameters: ReadonlyMap<string, ParameterDecision>;
  }[];
}

const kept = new WeakMap<Sources, readonly ValueRead[]>();

/** Asked when names are linked; the same list as long as the resource is. */
export function valueReads(resource: Readable, registry: Registry): readonly ValueRead[] {
  const known = kept.get(resource.sources) ?? collect(resource, registry);
  kept.set(resource.sources, known);
  return known;
}

function collect({ definition, sources, actions }: Readable, registry: Registry): ValueRead[] {
  const { doc, finds } = definition;
  const readers = payloadReaders(registry);
  const actionOf = (node: LocatedNode) => actions.find((action) => inside(node, action.node));
  const placeOf = (node: LocatedNode): Pick<ValueRead, 'query' | 'columns'> =>
    columnsMet(finds, node, null) ?? {
      query: finds.documents.find(({ around }) => inside(node, around)) ?? null,
      columns: [],
    };
  const bare = finds.references.flatMap(({ refers, node, name, spot }): ValueRead[] => {
    if (refers.symbol !== 'name') return [];
    const action = actionOf(node);
    if (action?.parameters.get(node.pointer)?.source !== 'name') return [];
    const text = String(name);
    const { query, columns } = columnsMet(finds, node, refers) ?? { query: null, columns: [] };
    const source = sources.bare(text, action.key, columns);
    const form = refers.soft === true ? 'word' : 'list';
    const path = text.split('.');
    return [{ action: action.key, node, spot, form, path, source, query, columns, afterwards: false }];
  });
  const read = finds.accessors.flatMap(({ node, parts, afterwards = false }) => {
    const action = actionOf(node)?.key ?? null;
    return parts.flatMap(({ root, tail: path, start, end }): ValueRead[] => {
      if (!readers.includes(root)) return [];
      const source = path[0] === undefined ? null : sources.read(path[0], action);
      const spot = spotInString(doc, node, { start, end });
      const { query, columns } = placeOf(node);
      return [{ action, node, spot, form: 'accessor', path, source, query, columns, afterwards }];
    });
  });
  return [...bare, ...read];
}

/** Names that actionables behind one take from its result, each of the one item there is. */
export const outputsRead = (reads: readonly ValueRead[], maker: string): readonly ValueRead[] =>
  reads.filter(({ source }) => source?.sort === 'output' && source.makers.includes(maker));
