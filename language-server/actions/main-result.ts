/** Refactoring: marks the actionable that produces the resource's result. */
import { addMembers } from '../../language/source/edit-json.js';
import { findMember } from '../../language/source/tree.js';
import { toWorkspaceEdit } from './workspace-edit.js';
import type { ActionSourceInput, CodeActionOffer } from './action-source.js';

export function mainActions(asked: ActionSourceInput): CodeActionOffer[] {
  const { view, range } = asked;
  const offset = view.offsetAt(range.start);
  const resource = view.analysis.resources.find(({ definition }) => definition === view.definitionAt(offset));
  if (resource === undefined || resource.actions.length < 2 || resource.actions.some(({ main }) => main)) return [];
  const { doc } = resource.definition;
  const pointer = view.getCursorContext(offset).levels.map(({ node }) => node);
  const action = resource.actions.find(({ node }) => pointer.includes(node));
  if (action === undefined || findMember(action.node, 'main_returnable') !== undefined) return [];
  const edit = toWorkspaceEdit(asked, doc, [addMembers(doc, action.node, [['main_returnable', 'true']])]);
  return [{ title: `Let actionable ${action.id} give the result`, edit, fixes: [], kind: 'refactor.rewrite' }];
}
