/**
 * Determines isolation level and row lock of actionables with queries. Pure. Covers the whole set: databases detect
 * conflicts only among serializable transactions.
 */
import type { FindKeys, StatementAccess } from '../../contract/statement-text.js';
import type { IsolationNeed, RowLock } from '../../contract/plan.js';
import { asText } from '../../contract/json.js';
import { Slot } from '../../contract/slot.js';
import { partitionActions, createImmediateTest } from './foreground.js';
import type { ActionModel, DataModel, ResourceModel } from './model.js';
import type { Registry } from './registry.js';
import { createReport, isInside } from './report.js';
import { createSingleRun } from './single-run.js';
import { isSame, type Lookups } from './lookups.js';
import { memoize } from './memoize.js';
import type { LocatedNode } from '../source/tree.js';

/** By id of the serving resource, then key of the actionable. */
export type Isolations = ReadonlyMap<string, ReadonlyMap<string, IsolationNeed>>;

interface Member {
  readonly action: ActionModel;
  readonly access: StatementAccess;
  /** The selected row; null unless exactly one is selected by its key. */
  readonly key: string | null;
  /** The request ends if the row does not exist. */
  readonly present: boolean;
  readonly repeated: boolean;
}

interface TransactionGroup {
  readonly resource: string;
  readonly store: string;
  readonly members: readonly Member[];
}

interface IsolationDecision extends TransactionGroup {
  level: IsolationNeed['level'];
  readonly why: string;
  readonly locks: ReadonlyMap<Member, RowLock>;
}

export function computeIsolations(
  resources: readonly ResourceModel[],
  models: readonly DataModel[],
  registry: Registry,
  /** Decisions of an earlier set, kept while dependencies and keys are the same. */
  stages = createSingleRun(registry.codes),
): Isolations {
  const actions = new Map(resources.flatMap((one) => one.actions.map((action) => [action.key, action] as const)));
  const source = { actions, keysOf: listKeys(models) };
  const report = createReport(registry.codes);
  const byResource = resources.map((resource) =>
    stages.getOrLookUp(resource, report, {
      name: 'isolation',
      reads: [],
      source,
      compute: ({ readAnswer }: Lookups<typeof source>) => {
        const get = (key: string) => readAnswer(`action ${key}`, ({ actions: known }) => known.get(key));
        const keysOf: FindKeys = (table) => readAnswer(`keys ${table}`, (set) => set.keysOf(table));
        return listTransactionGroups(resource, { get }, registry, keysOf).map(decideIsolation);
      },
    }),
  );
  const decided = byResource.filter(({ length }) => length > 0);
  const isIn = findSerializableTables(decided.flat());
  const found = new Map<string, ReadonlyMap<string, IsolationNeed>>();
  for (const groups of decided) {
    const [{ resource = '' } = {}] = groups;
    const among = groups.map(({ store, members }) => isIn(store, listTouchedTables(members)));
    const known = found.get(resource);
    // Two resources of one id are an error.
    found.set(resource, known === undefined ? reuseNeeds(groups, among) : listNeeds(groups, among, known));
  }
  return found;
}

interface FoundNeeds {
  readonly among: readonly boolean[];
  readonly needs: ReadonlyMap<string, IsolationNeed>;
}

const lastNeeds = memoize((_groups: readonly IsolationDecision[]): { found: FoundNeeds | null } => ({ found: null }));

function reuseNeeds(
  groups: readonly IsolationDecision[],
  among: readonly boolean[],
): ReadonlyMap<string, IsolationNeed> {
  const last = lastNeeds(groups);
  if (last.found === null || !isSame(last.found.among, among))
    last.found = { among, needs: listNeeds(groups, among, new Map()) };
  return last.found.needs;
}

function listNeeds(
  groups: readonly IsolationDecision[],
  among: readonly boolean[],
  others: ReadonlyMap<string, IsolationNeed>,
): ReadonlyMap<string, IsolationNeed> {
  const found = new Map(others);
  for (const [at, { members, level, why, locks }] of groups.entries()) {
    for (const member of members) {
      const { key } = member.action;
      const need = { level, among: among[at] === true, lock: locks.get(member) ?? null, why };
      found.set(key, mergeNeeds(found.get(key), need));
    }
  }
  return found;
}

const known = new WeakMap<object, Isolations>();

export function getIsolations(
  analysis: { readonly resources: readonly ResourceModel[]; readonly models: readonly DataModel[] },
  registry: Registry,
): Isolations {
  const found = known.get(analysis) ?? computeIsolations(analysis.resources, analysis.models, registry);
  known.set(analysis, found);
  return found;
}

/** Of an actionable in two transactions of a resource. */
function mergeNeeds(one: IsolationNeed | undefined, other: IsolationNeed): IsolationNeed {
  if (one === undefined) return other;
  const lock = one.lock === 'update' || other.lock === 'update' ? 'update' : (one.lock ?? other.lock);
  const among = one.among || other.among;
  if (one.level === other.level) return { ...one, lock, among };
  const [weak, strong] = one.level === 'statement' ? [one, other] : [other, one];
  return { ...strong, lock, among, level: weak.level === 'statement' ? strong.level : 'serializable' };
}

function listKeys(models: readonly DataModel[]): FindKeys {
  const keys = new Map<string, (readonly string[])[]>();
  for (const { table, fields, uniques } of models) {
    const primary = fields.filter(({ value }) => value['primary_key'] === true).map(({ name }) => name);
    keys.set(table.toLowerCase(), primary.length > 0 ? [primary, ...uniques] : [...uniques]);
  }
  // System tables do not change between requests.
  return (table) => keys.get(table.toLowerCase()) ?? (/^pg_/i.test(table) ? [] : null);
}

/** Groups adjacent actionables on one connection as the compiler does. */
function listTransactionGroups(
  resource: ResourceModel,
  byKey: Pick<ReadonlyMap<string, ActionModel>, 'get'>,
  registry: Registry,
  keysOf: FindKeys,
): TransactionGroup[] {
  if (resource.actions.every(({ stores, depends }) => stores.length === 0 && depends.length === 0)) return [];
  const listStandings = (places: ActionModel['places'], holder: object): readonly string[] =>
    places.flatMap((place) =>
      place.node === holder ? (registry.plugins.get(place.plugin)?.transactionEffect?.(place) ?? []) : [],
    );
  // Each statement commits by itself here, so nothing is added.
  if (listStandings(resource.places, resource.definition.node).includes('alone')) return [];
  const listDependencies = (action: ActionModel): ActionModel[] =>
    action.depends.flatMap((key) => byKey.get(key) ?? []);
  const { now, parts } = partitionActions(resource.actions, listDependencies, createImmediateTest(registry));
  const groups: TransactionGroup[] = [];
  for (const sequence of [now, ...parts.map(({ actions }) => actions)]) {
    let open = null as { store: string; members: Member[] } | null;
    for (const action of sequence) {
      const own = listStandings(action.places, action.node);
      const place = action.stores[0];
      const statements = action.definition.finds.statements.filter(({ node }) => isInside(node, action.node));
      const documents = action.definition.finds.documents.filter(({ node }) => isInside(node, action.node));
      const store =
        place === undefined || statements.length + documents.length === 0 ? null : `${place.kind} ${place.instance}`;
      if (store === null) {
        if (action.parallel || own.includes('apart') || !isPassive(action, registry)) open = null;
        continue;
      }
      const isFed = (other: ActionModel): boolean => other.depends.includes(action.key);
      const present = own.includes('demanding') || sequence.some((other) => isFed(other) && isFedBy(other, action));
      const members = statements.map((statement): Member => {
        const access = statement.language.describeAccess(statement.scan, keysOf);
        const formatOperand = (text: string): string => {
          if (!text.startsWith('$')) return text;
          const node = statement.parameters[Number(text.slice(1)) - 1];
          return node === undefined ? text : formatParameter(node, action);
        };
        const key =
          access.row === null
            ? null
            : JSON.stringify([access.row.table, access.row.key.map(([column, text]) => [column, formatOperand(text)])]);
        return { action, access, key, present, repeated: action.repeat !== null };
      });
      // The store isolates document queries itself.
      members.push(
        ...documents.map((): Member => ({ action, access: NO_ACCESS, key: null, present, repeated: false })),
      );
      const isApart = action.parallel || own.includes('apart');
      if (open?.store === store && !isApart) open.members.push(...members);
      else {
        open = { store, members };
        groups.push({ resource: resource.id, ...open });
      }
      if (isApart) open = null;
    }
  }
  return groups;
}

/** `id` and `$PAYLOAD.id` are the same value where the name is a payload field. */
function formatParameter({ type, scalar, pointer }: LocatedNode, action: ActionModel): string {
  const text = asText(scalar);
  const [, path] = /^\$PAYLOAD\.([\w.-]*[\w-])$/.exec(text) ?? [];
  const isField = action.parameters.get(pointer)?.from === 'payload';
  return path !== undefined || isField ? `payload ${path ?? text}` : `${type} ${text}`;
}

/** Its mode uses no store, so it ends no transaction. */
export const isPassive = ({ places, node }: ActionModel, registry: Registry): boolean =>
  places.some(
    (place) =>
      place.slot === Slot.MODE &&
      place.node === node &&
      registry.plugins.get(place.plugin)?.facts?.touches === 'nothing',
  );

/** True if `to` extracts names from `from` alone: without a row the request ends. */
function isFedBy(to: ActionModel, from: ActionModel): boolean {
  const { references, declarations } = to.definition.finds;
  const feeding = references.filter(({ refers, node }) => refers.feeds === true && isInside(node, to.node));
  return feeding.some(
    ({ name, within }) =>
      `${within === null || within.name === 'self' ? to.resource : within.name}#${name}` === from.key &&
      // Of several, another one may provide the value.
      feeding.every((other) => other.within?.node !== within?.node || other.name === name) &&
      declarations.some(({ symbol, spot }) => symbol === 'name' && isInside(spot, to.node)),
  );
}

const NO_ACCESS: StatementAccess = {
  tables: [],
  writes: [],
  foreign: null,
  sort: 'nothing',
  row: null,
  locks: null,
  lockable: false,
};

const READS = 'one statement: the database reads it as of one moment';
const ALONE = 'one statement on one row, which is atomic';

function decideIsolation(together: TransactionGroup): IsolationDecision {
  const { members } = together;
  const locks = new Map<Member, RowLock>();
  const createDecision = (level: IsolationNeed['level'], why: string): IsolationDecision => ({
    ...together,
    level,
    why,
    locks,
  });
  const [first] = members;
  const isOne = members.length === 1 && first?.repeated === false;
  const isReading = members.every(({ access }) => access.writes.length === 0);
  const locked = members.some(({ access }) => access.locks !== null);
  // A repeated statement counts as several.
  const reads = members.filter(({ access }) => access.tables.length > 0);
  if (isReading && !locked)
    return reads.length === 0 || (reads.length === 1 && reads[0]?.repeated === false)
      ? createDecision('statement', READS)
      : createDecision('snapshot', 'only reads: all of them as of one moment');
  if (isOne && first !== undefined && first.access.sort !== 'range') return createDecision('statement', ALONE);
  const writtenBehind = (at: number, table: string): boolean =>
    members.some(({ access }, i) => i > at && access.sort !== 'insert' && access.writes.includes(table));
  const held = new Set<string>();
  const loose = members.flatMap((member, at): string[] => {
    const { access, key, present, action } = member;
    const { sort, row } = access;
    const reads = access.writes.length === 0;
    if (access.lockable) {
      const [table = ''] = access.tables;
      if (writtenBehind(at, table)) locks.set(member, 'update');
      else if (row !== null && present) locks.set(member, 'share');
    }
    if (sort === 'nothing' || sort === 'insert') return [];
    if (sort === 'row' && key !== null && access.locks !== 'weak' && (held.has(key) || (present && !member.repeated))) {
      held.add(key);
      return [];
    }
    if (access.foreign !== null) return [`${action.key} uses "${access.foreign}", which may touch any table`];
    const what = sort === 'range' ? 'more than one row by its key' : 'a row that may not be there';
    return [`${action.key} ${reads ? 'reads' : 'depends on'} ${what}`];
  });
  if (loose.length === 0) return createDecision('locks', 'every row that is read or changed is locked until the end');
  // The database detects conflicting reads; locks order transactions that write what they read.
  const isWritten = ({ action, access }: Member): boolean =>
    members.some(
      (other) => other.action.depends.includes(action.key) && hasOverlap(other.access.writes, access.tables),
    );
  for (const [member, lock] of [...locks]) if (lock === 'share' || !isWritten(member)) locks.delete(member);
  return createDecision('serializable', loose.join('; '));
}

const hasOverlap = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((name) => others.includes(name));

/** And, transitively, those of transactions that share a table. */
function findSerializableTables(
  decided: readonly IsolationDecision[],
): (store: string, touched: TouchedTables) => boolean {
  const found = new Map<string, Set<string>>();
  const isAmong = (store: string, { tables, foreign }: TouchedTables): boolean => {
    const watched = found.get(store);
    return watched !== undefined && (foreign || watched.has(ANY) || tables.some((table) => watched.has(table)));
  };
  for (let isGrowing = true; isGrowing;) {
    isGrowing = false;
    for (const { store, level, members } of decided) {
      const touched = listTouchedTables(members);
      if (level !== 'serializable' && !isAmong(store, touched)) continue;
      const watched = found.get(store) ?? new Set();
      const before = watched.size;
      for (const table of touched.foreign ? [...touched.tables, ANY] : touched.tables) watched.add(table);
      found.set(store, watched);
      isGrowing ||= watched.size > before;
    }
  }
  return isAmong;
}

interface TouchedTables {
  readonly tables: readonly string[];
  /** Any other table may be used too. */
  readonly foreign: boolean;
}

const ANY = '*';

const listTouchedTables = memoize((members: readonly Member[]): TouchedTables => ({
  tables: members.flatMap(({ access }) => access.tables),
  foreign: members.some(({ access }) => access.foreign !== null),
}));
