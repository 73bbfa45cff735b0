/** Quick fix: adds all missing required members of an object with starting values. */
import { missingIn } from '../../language/analysis/walk.js';
import { addMembers, jsonLine } from '../../language/source/edit-json.js';
import type { Problem } from '../../contract/problem.js';
import type { Asked, Offer } from './offer.js';
import { startingValue } from './starting-value.js';
import { changing } from './changing.js';

export function requiredActions(asked: Asked): Offer[] {
  const { view, problems } = asked;
  const byPlace = new Map<number, Problem[]>();
  for (const problem of problems.filter(({ code }) => code === 'DEF_REQUIRED')) {
    const start = view.offsetAt(problem.range.start);
    byPlace.set(start, [...(byPlace.get(start) ?? []), problem]);
  }
  return [...byPlace].flatMap(([start, mends]) => {
    // Just inside the opening brace at which the problem is reported.
    const site = view.siteAt(start + 1);
    const object = [...site.levels].reverse().find(({ node }) => node?.type === 'object');
    if (object?.node === null || object?.node === undefined || object.expansion === null) return [];
    const missing = missingIn(object.node, object.expansion);
    if (missing.length === 0) return [];
    const members = missing.map(([name, { field }]) => [name, jsonLine(startingValue(view.registry, field))] as const);
    const listed = missing.map(([name]) => `"${name}"`).join(', ');
    const doc = site.definition?.doc ?? view.doc;
    const edit = changing(asked, doc, [addMembers(doc, object.node, members)]);
    return [{ title: `Add ${listed}`, edit, mends }];
  });
}
