/** Quick fix: adds a name that an accessor reads to the list that declares it. */
import { resolveLevels } from '../../language/analysis/levels.js';
import { ROOT_FIELDS } from '../../language/analysis/grammar.js';
import type { Problem } from '../../contract/problem.js';
import { Slot } from '../../contract/slot.js';
import { listAccessors } from '../../language/strings/accessor.js';
import { addItems, addMembers } from '../../language/source/edit-json.js';
import { findMember } from '../../language/source/tree.js';
import { toWorkspaceEdit } from './workspace-edit.js';
import type { ActionSourceInput, CodeActionOffer } from './action-source.js';

export const declarationActions = (asked: ActionSourceInput): CodeActionOffer[] =>
  asked.problems.flatMap((problem) => (problem.code === 'ACC_UNDECLARED' ? offerDeclaration(asked, problem) : []));

function offerDeclaration(asked: ActionSourceInput, problem: Problem): CodeActionOffer[] {
  const { view } = asked;
  const [start, end] = [view.offsetAt(problem.range.start), view.offsetAt(problem.range.end)];
  const part = listAccessors(view.doc.text.slice(start, end))[0];
  const name = part?.tail[0];
  const definition = view.definitionAt(start);
  const symbol = part === undefined ? null : findRequiredSymbol(asked, part.root);
  if (definition?.sort !== 'resource' || name === undefined || symbol === null) return [];
  const [level] = resolveLevels(view.registry, definition.node, ROOT_FIELDS.resource, []);
  // Only extends an existing object, because a quick fix must not add an authentication guard.
  for (const [key, { field }] of level?.expansion?.fields ?? []) {
    const holder = findMember(definition.node, key)?.value;
    const found = Object.entries(field.fields).find(
      ([, { type, inner }]) => type === 'array' && inner?.meta.declares === symbol,
    );
    if (found === undefined || holder?.type !== 'object') continue;
    const list = findMember(holder, found[0]);
    if (list !== undefined && list.value?.type !== 'array') continue;
    const item = JSON.stringify(name);
    const { doc } = definition;
    const change = list?.value ? addItems(doc, list.value, [item]) : addMembers(doc, holder, [[found[0], `[${item}]`]]);
    return [{ title: `Add ${item} to "${found[0]}"`, edit: toWorkspaceEdit(asked, doc, [change]), fixes: [problem] }];
  }
  return [];
}

function findRequiredSymbol({ view: { registry } }: ActionSourceInput, root: string): string | null {
  const kind = registry.listKinds(Slot.ACCESSOR)[0]?.kind ?? '';
  const tail = registry.plugin(kind, root)?.facts?.tail;
  return typeof tail === 'string' && tail.startsWith('declared:') ? tail.slice('declared:'.length) : null;
}
