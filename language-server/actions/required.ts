/** Quick fix: adds all missing required members of an object with starting values. */
import { listMissingFields } from '../../language/analysis/missing-fields.js';
import { addMembers, jsonLine } from '../../language/source/edit-json.js';
import type { Problem } from '../../contract/problem.js';
import type { ActionSourceInput, CodeActionOffer } from './action-source.js';
import { createStartingValue } from './starting-value.js';
import { toWorkspaceEdit } from './workspace-edit.js';

export function requiredActions(asked: ActionSourceInput): CodeActionOffer[] {
  const { view, problems } = asked;
  const byPlace = new Map<number, Problem[]>();
  for (const problem of problems.filter(({ code }) => code === 'DEF_REQUIRED')) {
    const start = view.offsetAt(problem.range.start);
    byPlace.set(start, [...(byPlace.get(start) ?? []), problem]);
  }
  return [...byPlace].flatMap(([start, fixes]) => {
    // Just inside the opening brace at which the problem is reported.
    const site = view.getCursorContext(start + 1);
    const object = [...site.levels].reverse().find(({ node }) => node?.type === 'object');
    if (object?.node === null || object?.node === undefined || object.expansion === null) return [];
    const missing = listMissingFields(object.node, object.expansion);
    if (missing.length === 0) return [];
    const members = missing.map(
      ([name, { field }]) => [name, jsonLine(createStartingValue(view.registry, field))] as const,
    );
    const listed = missing.map(([name]) => `"${name}"`).join(', ');
    const doc = site.definition?.doc ?? view.doc;
    const edit = toWorkspaceEdit(asked, doc, [addMembers(doc, object.node, members)]);
    return [{ title: `Add ${listed}`, edit, fixes }];
  });
}
