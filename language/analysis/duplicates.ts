/** Reports duplicate ids, paths, path parameters, actionables and main actionables. */
import { POISON_KEYS } from '../../contract/json.js';
import { listParameterSpans, toPathShape } from '../strings/route.js';
import { removeMember } from '../source/edit-json.js';
import { locateInString } from '../source/escapes.js';
import { findMember } from '../source/tree.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import { memoize } from './memoize.js';
import { createFix, type Report, type SourceLocation } from './report.js';
import type { Blocks, StageCache } from './stage-cache.js';

export function reportDuplicateActions(actions: readonly LinkedAction[], report: Report): void {
  const seen = new Map<number, LinkedAction>();
  let main: LinkedAction | undefined;
  for (const action of actions) {
    const first = seen.get(action.id);
    if (first === undefined) seen.set(action.id, action);
    else {
      const related = [{ message: `actionable ${action.id} stands here first`, spot: first.spot }];
      const free = Math.max(...actions.map(({ id }) => id)) + 1;
      const fix = { title: `change to ${free}`, text: String(free) };
      report.add('LNK_DUPLICATE_ACTION', action.spot, { name: action.id }, { related, fix });
    }
    if (!action.main) continue;
    if (main === undefined) main = action;
    else {
      const member = findMember(action.node, 'main_returnable');
      const span = member === undefined ? action.spot : { start: member.keyStart, end: member.keyEnd };
      const related = [{ message: `actionable ${main.id} is the main one`, spot: main.spot }];
      const changes = member === undefined ? [] : removeMember(action.spot.doc, action.node, member);
      const fix = createFix('remove "main_returnable" here', changes);
      report.add('LNK_MAIN_TWICE', { doc: action.spot.doc, start: span.start, end: span.end }, {}, { related, ...fix });
    }
  }
}

/** A resource is served under its id too. */
export function reportDuplicatePaths(
  blocks: Blocks<LinkedResource>,
  { memory, report }: { readonly memory: StageCache; readonly report: Report },
): void {
  // A letter elsewhere changes no name.
  const isUnique = memory.getOrCompute(KEY, report, {
    name: 'unique paths',
    reads: blocks.map(listPathWords),
    compute: () => !hasDuplicates(blocks.flat()),
  });
  if (isUnique) return;
  const resources = blocks.flat();
  const ids = new Map<string, SourceLocation>();
  const paths = new Map<string, { id: string; spot: SourceLocation }>();
  for (const resource of resources) {
    const { idSpot, taken: names } = listPathSegments(resource);
    const first = ids.get(resource.id);
    if (idSpot !== null && resource.id !== '') {
      if (first === undefined) ids.set(resource.id, idSpot);
      else {
        const related = [{ message: `"${resource.id}" is used here first`, spot: first }];
        report.add('LNK_DUPLICATE_ID', idSpot, { name: resource.id }, { related });
      }
    }
    for (const { path, shape, spot } of names) {
      const taken = paths.get(shape);
      if (taken === undefined) paths.set(shape, { id: resource.id, spot });
      else if (taken.id !== resource.id) {
        const related = [{ message: `"${path}" is used here first`, spot: taken.spot }];
        report.add('LNK_DUPLICATE_PATH', spot, { name: path, other: taken.id }, { related });
      }
    }
  }
}

const KEY = Object.freeze({});

function hasDuplicates(resources: readonly LinkedResource[]): boolean {
  const ids = new Set<string>();
  const owners = new Map<string, string>();
  return resources.some((resource) => {
    const { id } = resource;
    const isTaken = id !== '' && ids.has(id);
    ids.add(id);
    return (
      isTaken ||
      listPathSegments(resource).taken.some(({ shape }) => {
        const owner = owners.get(shape) ?? id;
        owners.set(shape, owner);
        return owner !== id;
      })
    );
  });
}

const listPathSegments = memoize((resource: LinkedResource) => {
  const idSpot = locateValue(resource, 'id');
  const written = [
    { path: resource.path, spot: locateValue(resource, 'resource') },
    { path: resource.id, spot: idSpot },
  ];
  const taken = written.flatMap(({ path, spot }) =>
    spot === null || path === '' ? [] : [{ path, shape: toPathShape(path), spot }],
  );
  return { idSpot, taken, words: [resource.id, ...taken.map(({ shape }) => shape)] };
});

const listPathWords = memoize((block: readonly LinkedResource[]) =>
  block.map((resource) => listPathSegments(resource).words),
);

/** Rejects repeated parameters and names that a payload must not have. */
export function reportParameters(resource: LinkedResource, report: Report): void {
  const spot = locateValue(resource, 'resource');
  const node = findMember(resource.definition.node, 'resource')?.value;
  if (spot === null || node === undefined || node === null) return;
  const seen = new Set<string>();
  for (const { name, ...span } of listParameterSpans(resource.path)) {
    const here = locateInString(spot.doc, node, span);
    if (POISON_KEYS.has(name)) report.add('ACC_POISON', here, { segment: name });
    else if (seen.has(name)) report.add('LNK_DUPLICATE_PARAMETER', here, { name });
    seen.add(name);
  }
}

function locateValue(resource: LinkedResource, key: string): SourceLocation | null {
  const node = findMember(resource.definition.node, key)?.value;
  return node?.type === 'string' ? { doc: resource.definition.doc, start: node.start, end: node.end } : null;
}
