/** Where a request can be stopped, in the definitions that are served. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { platform } from 'node:process';
import type { Position, Range } from '../../contract/problem.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import type { ResourceModel } from '../../language/analysis/model.js';
import { rangeAt, type Document } from '../../language/source/document.js';
import { findMember, type LocatedNode, type Member } from '../../language/source/tree.js';

/**
 * `before`, `after`: around the work of the actionable or the request. `step`: before that of a field. `enter`:
 * before the first dependency.
 */
export type Moment = 'enter' | 'before' | 'step' | 'after';

export interface Place {
  /** The id of the resource that was called. */
  readonly resource: string;
  /** The key of the actionable; null for the resource. */
  readonly action: string | null;
  /** The field of a step; otherwise null. */
  readonly field: string | null;
  readonly moment: Moment;
}

export interface SourceSpot {
  /** Absolute. */
  readonly file: string;
  readonly range: Range;
}

/** What a breakpoint stops at, and the line to which it is moved. */
export interface BreakpointTarget {
  readonly key: string;
  readonly spot: SourceSpot;
}

export interface Definitions {
  locate(place: Place): SourceSpot | null;
  hasField(place: Place): boolean;
  /** The innermost member of this name: the rule of a payload field. */
  locateInside(place: Place, name: string): SourceSpot | null;
  /** Zero-based; prefers what begins on the line. Null: nothing below it can stop. */
  findTarget(file: string, line: number, column: number | undefined): BreakpointTarget | null;
  /** The actionables that need this one, nearest first. Empty in its own turn. */
  listCallers(resource: string, action: string): readonly string[];
}

/** No field has this name. */
const END = '}';

/** Equal for breakpoints and places: an actionable stops in whichever plan it runs. */
export const createPlaceKey = ({ resource, action, field, moment }: Place): string =>
  [action === null ? `resource ${resource}` : `actionable ${action}`, field ?? (moment === 'after' ? END : '')].join(
    '\n',
  );

/** The same file has the same text by any path. */
export function normalizePath(path: string): string {
  let real = resolve(path);
  try {
    real = realpathSync.native(real);
  } catch {
    // A file that was removed keeps its path.
  }
  return platform === 'win32' ? real.toLowerCase() : real;
}

const isResource = ({ key }: Candidate): boolean => key.startsWith('resource ') && key.endsWith('\n');
const isAction = ({ key }: Candidate): boolean => key.startsWith('actionable ') && key.endsWith('\n');

const isEnd = ({ key }: Candidate): boolean => key.endsWith(`\n${END}`);

interface Candidate {
  readonly key: string;
  readonly range: Range;
}

/** `order`: keys of actionables as they run. `hasStep`: the field has a step. */
export function createDefinitions(
  { project: { folder } }: Pick<Kernel, 'project'>,
  analysis: Analysis,
  order: ReadonlyMap<string, readonly string[]>,
  hasStep: (key: string) => boolean,
): Definitions {
  const resources = new Map(analysis.resources.map((one) => [one.id, one]));
  const actions = new Map(analysis.resources.flatMap((one) => one.actions.map((action) => [action.key, action])));
  const callers = new Map<string, readonly string[]>();

  const toSpot = (doc: Document, { start, end }: Pick<LocatedNode, 'start' | 'end'>): SourceSpot => ({
    file: resolve(folder, doc.file),
    range: rangeAt(doc, start, end),
  });

  function findField({ resource, action, field }: Place): { doc: Document; member: Member } | null {
    const model = action === null ? resources.get(resource) : actions.get(action);
    const node = model && 'node' in model ? model.node : model?.definition.node;
    const member = node === undefined || field === null ? undefined : findMember(node, field);
    return model === undefined || member === undefined ? null : { doc: model.definition.doc, member };
  }

  function locatePlace(place: Place): SourceSpot | null {
    const found = findField(place);
    if (found !== null)
      return toSpot(found.doc, {
        start: found.member.keyStart,
        end: found.member.value?.end ?? found.member.keyEnd,
      });
    const model = place.action === null ? resources.get(place.resource) : actions.get(place.action);
    if (model === undefined) return null;
    const spot = toSpot(model.definition.doc, 'node' in model ? model.node : model.definition.node);
    if (place.moment !== 'after') return spot;
    const { end } = spot.range;
    return { ...spot, range: { start: { ...end, character: Math.max(0, end.character - 1) }, end } };
  }

  /** The resource, its actionables, their ends, the fields with steps, and the items of their lists. */
  function listCandidates({ id, definition: { doc, node }, actions: own }: ResourceModel): Candidate[] {
    const add = (place: Omit<Place, 'resource'>, { start, end }: Pick<LocatedNode, 'start' | 'end'>): Candidate => ({
      key: createPlaceKey({ ...place, resource: id }),
      range: rangeAt(doc, start, end),
    });
    const listWithin = (action: string | null, whole: LocatedNode): Candidate[] => [
      add({ action, field: null, moment: 'before' }, whole),
      add({ action, field: null, moment: 'after' }, { start: whole.end - 1, end: whole.end }),
      ...whole.members.flatMap(({ key: field, keyStart, value }) => {
        const place = { action, field, moment: 'step' } as const;
        if (value === null || !hasStep(createPlaceKey({ ...place, resource: id }))) return [];
        const items = value.type === 'array' ? value.items : [];
        return [add(place, { start: keyStart, end: value.end }), ...items.map((item) => add(place, item))];
      }),
    ];
    return [...listWithin(null, node), ...own.flatMap((action) => listWithin(action.key, action.node))];
  }

  function findTarget(file: string, line: number, column: number | undefined): BreakpointTarget | null {
    const wanted = normalizePath(file);
    const own = analysis.resources.filter(
      ({ sound, definition }) => sound && normalizePath(resolve(folder, definition.doc.file)) === wanted,
    );
    const all = own
      .flatMap(listCandidates)
      .sort((a, b) => comparePositions(a.range.start, b.range.start) || comparePositions(b.range.end, a.range.end));
    const below = all.filter(({ range }) => range.end.line >= line);
    const at = column === undefined ? null : { line, character: column };
    const starting = below.filter(
      ({ range: { start } }) => start.line === line && (at === null || isBefore(at, start)),
    );
    const begun = starting.find((one) => !isEnd(one)) ?? starting[0];
    const around = below.filter(({ range: { start, end } }) =>
      at === null ? start.line < line && line <= end.line : isBefore(start, at) && isBefore(at, end),
    );
    const found = (at === null ? begun : undefined) ?? around.at(-1) ?? begun ?? below[0];
    if (found === undefined) return null;
    const { key, range } = findNextAction(all, found, line) ?? found;
    return { key, spot: { file, range } };
  }

  function findNextAction(all: readonly Candidate[], found: Candidate, line: number): Candidate | undefined {
    if (found.range.start.line >= line || !isResource(found)) return undefined;
    const own = all.filter((one) => isAction(one) && isWithin(one, found));
    const isBetween = own.some(({ range }) => range.end.line < line);
    return isBetween ? own.find(({ range }) => range.start.line > line) : undefined;
  }

  function listCallers(resource: string, action: string): readonly string[] {
    const key = `${resource}\n${action}`;
    const known = callers.get(key);
    if (known !== undefined) return known;
    callers.set(key, []);
    const caller = findCaller(resource, action);
    const found = caller === null ? [] : [caller, ...listCallers(resource, caller)];
    callers.set(key, found);
    return found;
  }

  /** Null where the actionable stands in its resource before the first one that depends on it. */
  function findCaller(resource: string, action: string): string | null {
    const sequence = order.get(resource) ?? [];
    const later = sequence.slice(sequence.indexOf(action) + 1);
    const caller = later.find((key) => actions.get(key)?.depends.includes(action));
    const own = resources.get(resource)?.actions ?? [];
    const [mine, its] = [action, caller].map((key) => own.findIndex((one) => one.key === key)) as [number, number];
    const isInTurn = mine !== -1 && own[mine]?.noOp !== true && (its === -1 || mine < its);
    return caller === undefined || isInTurn ? null : caller;
  }

  return {
    locate: locatePlace,
    hasField: (place) => findField(place) !== null,
    locateInside(place, name) {
      const found = findField(place);
      const inner = found?.member.value ? findNamed(found.member.value, name) : null;
      return found === null || inner === null ? null : toSpot(found.doc, inner);
    },
    findTarget,
    listCallers,
  };
}

const comparePositions = (a: Position, b: Position): number => a.line - b.line || a.character - b.character;
const isBefore = (a: Position, b: Position): boolean => comparePositions(a, b) <= 0;
const isWithin = (inner: Candidate, outer: Candidate): boolean =>
  inner !== outer && isBefore(outer.range.start, inner.range.start) && isBefore(inner.range.end, outer.range.end);

/** The first member of this name at any depth, from its key to its end. */
function findNamed(node: LocatedNode, name: string): { readonly start: number; readonly end: number } | null {
  for (const { key, keyStart, keyEnd, value } of node.members) {
    if (key === name) return { start: keyStart, end: value?.end ?? keyEnd };
    const inner = value === null ? null : findNamed(value, name);
    if (inner !== null) return inner;
  }
  for (const item of node.items) {
    const inner = findNamed(item, name);
    if (inner !== null) return inner;
  }
  return null;
}
