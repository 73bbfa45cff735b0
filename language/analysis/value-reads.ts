/** Collects the locations in a resource that read a request value, with its source. Reports nothing. */
import { locateInString } from '../source/escapes.js';
import type { LocatedNode } from '../source/tree.js';
import { listPayloadReaders } from './checks/readers.js';
import type { DocumentQuery, SqlText } from './facts.js';
import { findParameterColumns } from './bound-columns.js';
import type { Definition, ParameterDecision, Source, Sources } from './model.js';
import type { Registry } from './registry.js';
import { isInside, type SourceLocation } from './report.js';

export interface ValueRead {
  /** The key of the actionable; null outside actionables. */
  readonly action: string | null;
  /** The string that contains the read. */
  readonly node: LocatedNode;
  /** The location of the name or the accessor. */
  readonly spot: SourceLocation;
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
export interface ReadableResource {
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
export function listValueReads(resource: ReadableResource, registry: Registry): readonly ValueRead[] {
  const known = kept.get(resource.sources) ?? collectReads(resource, registry);
  kept.set(resource.sources, known);
  return known;
}

function collectReads({ definition, sources, actions }: ReadableResource, registry: Registry): ValueRead[] {
  const { doc, finds } = definition;
  const readers = listPayloadReaders(registry);
  const findAction = (node: LocatedNode) => actions.find((action) => isInside(node, action.node));
  const findQueryPlace = (node: LocatedNode): Pick<ValueRead, 'query' | 'columns'> =>
    findParameterColumns(finds, node, null) ?? {
      query: finds.documents.find(({ around }) => isInside(node, around)) ?? null,
      columns: [],
    };
  const bare = finds.references.flatMap(({ refers, node, name, spot }): ValueRead[] => {
    if (refers.symbol !== 'name') return [];
    const action = findAction(node);
    if (action?.parameters.get(node.pointer)?.source !== 'name') return [];
    const text = String(name);
    const { query, columns } = findParameterColumns(finds, node, refers) ?? { query: null, columns: [] };
    const source = sources.resolveBare(text, action.key, columns);
    const form = refers.soft === true ? 'word' : 'list';
    const path = text.split('.');
    return [{ action: action.key, node, spot, form, path, source, query, columns, afterwards: false }];
  });
  const read = finds.accessors.flatMap(({ node, parts, afterwards = false }) => {
    const action = findAction(node)?.key ?? null;
    return parts.flatMap(({ root, tail: path, start, end }): ValueRead[] => {
      if (!readers.includes(root)) return [];
      const source = path[0] === undefined ? null : sources.read(path[0], action);
      const spot = locateInString(doc, node, { start, end });
      const { query, columns } = findQueryPlace(node);
      return [{ action, node, spot, form: 'accessor', path, source, query, columns, afterwards }];
    });
  });
  return [...bare, ...read];
}

/** The values that later actionables read from the list result of `maker`. */
export const filterOutputReads = (reads: readonly ValueRead[], maker: string): readonly ValueRead[] =>
  reads.filter(({ source }) => source?.sort === 'output' && source.makers.includes(maker));

/** The names that the actionables `running` read from the only item of that result. */
export const listOutputNames = (
  reads: readonly ValueRead[],
  maker: string,
  running: ReadonlySet<string>,
): readonly string[] => [
  ...new Set(
    filterOutputReads(reads, maker).flatMap(({ action, path: [name] }) =>
      action !== null && running.has(action) && name ? [name] : [],
    ),
  ),
];

/** Whether a query writes the value at this path, or an object around it. */
export const isWrittenPath = (
  reads: readonly ValueRead[],
  maker: string | undefined,
  path: readonly string[],
): boolean =>
  reads.some(
    ({ action, columns, path: read }) =>
      action === maker && columns.length > 0 && read.every((segment, at) => path[at] === segment),
  );
