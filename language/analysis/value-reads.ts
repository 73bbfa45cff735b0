/** Collects the locations in a resource that read a request value, with its source. Reports nothing. */
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
  /** The key of the actionable; null outside actionables. */
  readonly action: string | null;
  /** The string that contains the read. */
  readonly node: LocatedNode;
  /** The location of the name or the accessor. */
  readonly spot: Spot;
  /** `list`: the list that the work repeats over. */
  readonly form: 'word' | 'accessor' | 'list';
  /** Empty for the whole payload. */
  readonly path: readonly string[];
  /** Null for the whole payload. */
  readonly source: Source | null;
  /** The query that the value is bound to, or that contains it. */
  readonly query: SqlText | DocumentQuery | null;
  /** The known columns or document fields that the value is written to or compared with. */
  readonly columns: readonly string[];
  /** Read after the actionable has run. */
  readonly afterwards: boolean;
}

/** Accepts linked resources and finished models. */
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

/** Must be called after linking; cached per resource. */
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

/** The values that later actionables read from the list result of `maker`. */
export const outputsRead = (reads: readonly ValueRead[], maker: string): readonly ValueRead[] =>
  reads.filter(({ source }) => source?.sort === 'output' && source.makers.includes(maker));
