/** Resolves where queries run and models are stored: by the query, else models, else the default. */
import { asText } from '../../contract/json.js';
import type { Kind } from '../../contract/kind.js';
import type { StorePlace } from '../../contract/model.js';
import { findNearest } from '../source/suggest.js';
import type { LocatedNode } from '../source/tree.js';
import type { AnalysisSettings, ConfiguredPlugin } from './config.js';
import type { DocumentQuery, SqlText } from './facts.js';
import { memoize } from './memoize.js';
import { isEqualData, type Blocks, type Lookups, type StageCache } from './stage-cache.js';
import type { Steps } from './steps.js';
import type { Definition } from './model.js';
import type { Registry } from './registry.js';
import { formatHint, createRenameFix, type Report, type SourceLocation } from './report.js';
import { listCollections, recordTables, type TableNames } from './tables.js';

export interface Stores {
  listStores(model: string): readonly StorePlace[];
  /** The same list as before while nothing in it has changed. */
  listPlacedQueries(definition: Definition): readonly PlacedQuery[];
  /** The same in blocks, for each definition. */
  readonly placed: Blocks<readonly PlacedQuery[]>;
}

export interface PlacedQuery {
  readonly query: SqlText | DocumentQuery;
  readonly place: StorePlace;
  readonly models: readonly string[];
  readonly syntax: string | null;
}

export interface StoresInput {
  readonly models: readonly Definition[];
  /** All definitions. */
  readonly blocks: Blocks<Definition>;
  readonly tables: TableNames;
  readonly registry: Registry;
  readonly memory: StageCache;
  readonly report: Report;
  /** Null without a known config: any connection name is accepted. */
  readonly given: Pick<AnalysisSettings, 'chosen'> | null;
}

/** The default instance of kinds without a required one. */
const OTHERWISE = 'main';

export function* resolveStores(input: StoresInput): Steps<Stores> {
  const { models, blocks, tables, registry, memory, report, given } = input;
  const names = mapNamesByKind(input);
  const wanted = new Map(
    models.flatMap(({ name, connection }) => (connection === null ? [] : [[name, asText(connection.scalar)] as const])),
  );
  const chosen = given?.chosen.map((one) => [
    one.kind,
    one.instance,
    one.name,
    one.aliases,
    findPrimary(registry, one),
  ]);
  const placed = yield* memory.getOrLookUpAll(blocks, report, {
    name: STAGE,
    reads: [names, wanted, chosen],
    source: tables,
    compute: (definition, lookups: Lookups<TableNames>, own) =>
      placeQueries(definition, { ...input, tables: recordTables(lookups), report: own }, names, wanted),
    reuse: (earlier, now) => (isEqualData(earlier, now) ? earlier : now),
  });
  const kept = new Map<string, Map<string, StorePlace>>();
  const addStore = (model: string, place: StorePlace): void => {
    const known = kept.get(model) ?? new Map<string, StorePlace>();
    kept.set(model, known.set(`${place.kind}/${place.instance}`, place));
  };
  const queried = new Set<string>();
  const intended = new Set<string>();
  for (const block of placed) {
    for (const { model, place } of listModelPlaces(block)) {
      queried.add(place.kind);
      if (model === null) continue;
      intended.add(model);
      addStore(model, place);
    }
  }
  for (const { name } of models) {
    if (kept.has(name)) continue;
    for (const place of placeUnqueried(wanted.get(name), names, queried, registry)) addStore(name, place);
  }
  addReferredModels(models, tables, registry, intended, kept, addStore);
  const lists = new Map([...kept].map(([model, all]) => [model, [...all.values()]]));
  return {
    listStores: (model) => lists.get(model) ?? [],
    listPlacedQueries: (definition) => (memory.findOutcome(STAGE, definition) ?? []) as readonly PlacedQuery[],
    placed,
  };
}

const STAGE = 'stores';

/** Each model with each place once; null: a place alone. */
const listModelPlaces = memoize((block: readonly (readonly PlacedQuery[])[]) => {
  const found = new Map<string, { readonly model: string | null; readonly place: StorePlace }>();
  for (const { place, models } of block.flat())
    for (const model of [null, ...models])
      found.set(JSON.stringify([place.kind, place.instance, model]), { model, place });
  return [...found.values()];
});

function placeQueries(
  definition: Definition,
  input: StoresInput,
  names: ReadonlyMap<string, readonly string[] | null>,
  wanted: ReadonlyMap<string, string>,
): readonly PlacedQuery[] {
  const { tables, registry, report } = input;
  if (definition.connection !== null) checkConnection(definition, definition.connection, names, input);
  return [...definition.finds.statements, ...definition.finds.documents].flatMap((query) => {
    if (query.store === null) return [];
    const models = listModels(query, tables);
    const written = chooseInstance(definition, query, query.store, { models, wanted, names, registry, report });
    const one = findChosen(input, { kind: query.store, instance: written });
    const place = { kind: query.store, instance: one?.instance ?? written };
    if (one !== undefined) checkReplicaUse(definition, query, one, input);
    return [{ query, place, models, syntax: findSyntax(input, place) }];
  });
}

const hasName = ({ instance, aliases }: ConfiguredPlugin, name: string): boolean =>
  instance === name || aliases?.includes(name) === true;

const findChosen = ({ given }: StoresInput, { kind, instance }: StorePlace): ConfiguredPlugin | undefined =>
  given?.chosen.find((one) => one.kind === kind && hasName(one, instance));

/** The instance that this one replicates; undefined: it is no replica. */
export function findPrimary(registry: Registry, { kind, options }: ConfiguredPlugin): string | undefined {
  const option = registry.kind(kind)?.config?.models?.primary;
  const primary = option === undefined ? undefined : options[option];
  return typeof primary === 'string' ? primary : undefined;
}

function checkReplicaUse(
  { doc }: Definition,
  query: SqlText | DocumentQuery,
  chosen: ConfiguredPlugin,
  { registry, report }: StoresInput,
): void {
  const primary = findPrimary(registry, chosen);
  if (primary === undefined || ('scan' in query && query.language.isReadOnly(query.scan))) return;
  report.add('LNK_REPLICA_WRITE', toLocation(doc, query.node), { name: chosen.instance, primary });
}

function findSyntax(input: StoresInput, place: StorePlace): string | null {
  const chosen = findChosen(input, place);
  const syntax = chosen && input.registry.plugin(place.kind, chosen.name)?.facts?.syntax;
  return typeof syntax === 'string' ? syntax : null;
}

/** In order of registration. */
const listStoreKinds = ({ kinds }: Registry): Kind[] => [...kinds.values()].filter(({ config }) => config?.models);

/** Null if the config is unknown. */
function mapNamesByKind({ registry, given }: StoresInput): ReadonlyMap<string, readonly string[] | null> {
  return new Map(
    listStoreKinds(registry).map(({ kind }) => [
      kind,
      given?.chosen
        .filter((chosen) => chosen.kind === kind)
        .flatMap(({ instance, aliases = [] }) => [instance, ...aliases]) ?? null,
    ]),
  );
}

const has = (names: ReadonlyMap<string, readonly string[] | null>, kind: string, name: string): boolean =>
  names.get(kind)?.includes(name) ?? true;

function listModels(query: SqlText | DocumentQuery, tables: TableNames): string[] {
  const found = ('scan' in query ? query.scan.tables : listCollections(query)).map(({ name }) => name);
  return [...new Set(found.flatMap((name) => tables.findModel(name) ?? []))];
}

interface Choosing {
  readonly models: readonly string[];
  readonly wanted: ReadonlyMap<string, string>;
  readonly names: ReadonlyMap<string, readonly string[] | null>;
  readonly registry: Registry;
  readonly report: Report;
}

function chooseInstance(
  { doc }: Definition,
  { node, connection }: SqlText | DocumentQuery,
  kind: string,
  { models, wanted, names, registry, report }: Choosing,
): string {
  const otherwise = registry.kind(kind)?.config?.must ?? OTHERWISE;
  if (connection !== null) {
    const name = asText(connection.scalar);
    if (!has(names, kind, name)) reportUnknown(report, toLocation(doc, connection), name, names.get(kind) ?? []);
    return name;
  }
  const wantedStores = models.flatMap((model) => {
    const name = wanted.get(model);
    return name !== undefined && has(names, kind, name) ? [{ model, name }] : [];
  });
  const [first] = wantedStores;
  const other = wantedStores.find(({ name }) => name !== first?.name);
  if (first !== undefined && other !== undefined) {
    const params = { model: first.model, name: first.name, other: other.model, elsewhere: other.name };
    report.add('LNK_CONNECTIONS', toLocation(doc, node), params);
  }
  return first?.name ?? otherwise;
}

function checkConnection(
  { doc }: Definition,
  connection: LocatedNode,
  names: ReadonlyMap<string, readonly string[] | null>,
  { report }: StoresInput,
): void {
  const name = asText(connection.scalar);
  if ([...names.keys()].some((kind) => has(names, kind, name))) return;
  const known = [...new Set([...names.values()].flatMap((list) => list ?? []))];
  reportUnknown(report, toLocation(doc, connection), name, known);
}

function reportUnknown(report: Report, spot: SourceLocation, name: string, known: readonly string[]): void {
  const near = findNearest(name, known);
  report.add('LNK_UNKNOWN_CONNECTION', spot, { name, hint: formatHint(near) }, createRenameFix(near));
}

/** By its `connection`, else the default of the first kind in use. */
function placeUnqueried(
  wantedStores: string | undefined,
  names: ReadonlyMap<string, readonly string[] | null>,
  queried: ReadonlySet<string>,
  registry: Registry,
): StorePlace[] {
  const kinds = listStoreKinds(registry);
  const chosen = kinds.filter(
    ({ kind }) => wantedStores !== undefined && names.get(kind)?.includes(wantedStores) === true,
  );
  if (wantedStores !== undefined && chosen.length > 0)
    return chosen.map(({ kind }) => ({ kind, instance: wantedStores }));
  const usual = kinds.find(({ kind }) => queried.has(kind)) ?? kinds[0];
  return usual === undefined ? [] : [{ kind: usual.kind, instance: usual.config?.must ?? OTHERWISE }];
}

/** Unqueried models are stored with those that refer to them, where references are enforced. */
function addReferredModels(
  models: readonly Definition[],
  tables: TableNames,
  { kinds }: Registry,
  queried: ReadonlySet<string>,
  kept: ReadonlyMap<string, ReadonlyMap<string, StorePlace>>,
  keep: (model: string, place: StorePlace) => void,
): void {
  const edges = models.flatMap(({ name, finds }) =>
    finds.references.flatMap(({ refers, name: target }) => {
      const model = refers.symbol === 'model' ? tables.findModel(String(target)) : undefined;
      return model === undefined || queried.has(model) ? [] : [{ from: name, to: model }];
    }),
  );
  for (let before = -1, count = 0; before !== count;) {
    before = count;
    for (const { from, to } of edges) {
      for (const place of kept.get(from)?.values() ?? []) {
        if (kinds.get(place.kind)?.config?.models?.references === true) keep(to, place);
      }
    }
    count = [...kept.values()].reduce((sum, all) => sum + all.size, 0);
  }
}

const toLocation = (doc: Definition['doc'], { start, end }: LocatedNode): SourceLocation => ({ doc, start, end });
