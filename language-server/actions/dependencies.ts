/**
 * Quick fix: adds a dependency on the actionable that produces a name used too early. Not for cycles, parallel or
 * deferred actionables.
 */
import { resolveLevels } from '../../language/analysis/levels.js';
import { ROOT_FIELDS } from '../../language/analysis/grammar.js';
import { isInside } from '../../language/analysis/report.js';
import type { ActionModel, ResourceModel } from '../../language/analysis/model.js';
import type { Expansion } from '../../language/analysis/registry.js';
import { isObject, type Json } from '../../contract/json.js';
import type { Problem } from '../../contract/problem.js';
import { listAccessors } from '../../language/strings/accessor.js';
import { addItems, addMembers, jsonLine } from '../../language/source/edit-json.js';
import type { TextChange } from '../../language/source/document.js';
import { findMember, toJson } from '../../language/source/tree.js';
import { toWorkspaceEdit } from './workspace-edit.js';
import type { ActionSourceInput, CodeActionOffer } from './action-source.js';

export const dependencyActions = (asked: ActionSourceInput): CodeActionOffer[] =>
  asked.problems.flatMap((problem) => (problem.code === 'LNK_TOO_EARLY' ? offerDependency(asked, problem) : []));

function offerDependency(asked: ActionSourceInput, problem: Problem): CodeActionOffer[] {
  const { view } = asked;
  const offset = view.offsetAt(problem.range.start);
  const definition = view.definitionAt(offset);
  const resource = view.analysis.resources.find((one) => one.definition === definition);
  const site = view.getCursorContext(offset);
  const action = resource?.actions.find(({ node }) => site.levels.some((level) => level.node === node));
  const written = site.levels.at(-1)?.node?.scalar;
  if (resource === undefined || action === undefined || typeof written !== 'string') return [];
  const maker = findProducer(
    resource,
    action,
    extractName(view.doc.text.slice(offset, view.offsetAt(problem.range.end)), written),
  );
  if (maker === null || !canWait(resource, action, maker)) return [];
  const index = Number(action.node.pointer.split('/').at(-1));
  const levels = resolveLevels(view.registry, resource.definition.node, ROOT_FIELDS.resource, ['actionables', index]);
  const place = findDependencyList(levels.at(-1)?.expansion ?? null);
  if (place === null) return [];
  const edit = toWorkspaceEdit(asked, resource.definition.doc, [withDependency(action, place, maker.id)]);
  return [{ title: `Let actionable ${action.id} wait for actionable ${maker.id}`, edit, fixes: [problem] }];
}

/** An accessor's name follows its root; other text starts with it. */
const extractName = (source: string, written: string): string =>
  listAccessors(source)[0]?.tail[0] ?? listAccessors(written)[0]?.tail[0] ?? written.split('.')[0] ?? '';

function findProducer({ definition, actions }: ResourceModel, user: ActionModel, name: string): ActionModel | null {
  const made = definition.finds.declarations.filter(
    (one) => one.name === name && (one.symbol === 'name' || one.symbol === 'generated'),
  );
  const makers = made.flatMap(({ spot }) => actions.find(({ node }) => isInside(spot, node)) ?? []);
  return makers.find((one) => one !== user) ?? null;
}

function canWait({ definition, actions }: ResourceModel, user: ActionModel, maker: ActionModel): boolean {
  const waits = new Set<string>();
  const visit = (key: string): void => {
    if (waits.has(key)) return;
    waits.add(key);
    actions.find((one) => one.key === key)?.depends.forEach(visit);
  };
  visit(maker.key);
  if (waits.has(user.key) || user.parallel || maker.parallel) return false;
  if (user.timing.later !== maker.timing.later || user.timing.scheduled !== maker.timing.scheduled) return false;
  // With a first dependency, its own `late` names would be read from it.
  const names = definition.finds.declarations.some(({ late, spot }) => late && isInside(spot, user.node));
  return !names || user.depends.length > 0;
}

interface DependencyListField {
  readonly list: string;
  readonly owner: string;
  readonly ids: string;
}

function findDependencyList(expansion: Expansion | null): DependencyListField | null {
  for (const [list, { field }] of expansion?.fields ?? []) {
    if (field.type !== 'array' || field.inner === null) continue;
    for (const [ids, { type, inner }] of Object.entries(field.inner.fields)) {
      const refers = inner?.meta.refers;
      if (type !== 'array' || refers?.symbol !== 'action' || refers.edge !== true || refers.within === undefined)
        continue;
      return { list, owner: refers.within, ids };
    }
  }
  return null;
}

function withDependency(
  { node, definition: { doc } }: ActionModel,
  place: DependencyListField,
  id: number,
): TextChange {
  const { list, owner, ids } = place;
  const written = findMember(node, list)?.value ?? null;
  const own = written?.items.find((item) => {
    const json: Json = toJson(item);
    return isObject(json) && json[owner] === 'self';
  });
  const known = own === undefined ? undefined : findMember(own, ids)?.value;
  if (known?.type === 'array') return addItems(doc, known, [String(id)]);
  const entry = jsonLine({ [owner]: 'self', [ids]: [id] });
  return written?.type === 'array' ? addItems(doc, written, [entry]) : addMembers(doc, node, [[list, `[${entry}]`]]);
}
