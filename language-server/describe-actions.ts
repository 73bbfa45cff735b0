/** Describes resources and actionables: what they do, in which order, and their dependents. */
import { isInside } from '../language/analysis/report.js';
import type { ActionModel, ResourceModel } from '../language/analysis/model.js';
import { joinBlocks } from '../language/export/markdown.js';
import { describeExecutionOrder } from './execution-order.js';
import { formatLocationLink } from './location-links.js';
import { toCodeSpan } from './safe-markdown.js';
import type { DocumentContext } from './document-context.js';
import { formatNames } from './describe-fields.js';

/** Maximum length of a query excerpt. */
const FIRST_WORDS = 70;

export function resourceMarkdown(view: DocumentContext, resource: ResourceModel): string {
  const { id, path, actions, definition } = resource;
  const turns = describeExecutionOrder(view, resource);
  const rows = actions.map((action) => {
    const turn = turns.get(action.key) ?? '';
    return `- ${toCodeSpan(String(action.id))} ${describeAction(action)}${turn === '' ? '' : `, ${turn}`}`;
  });
  const users = view.analysis.resources.filter(
    (other) =>
      other !== resource && other.actions.some(({ depends }) => depends.some((key) => hasAction(resource, key))),
  );
  return joinBlocks(
    `**${toCodeSpan(id)}**: resource at ${toCodeSpan(`/${path}`)}`,
    rows.join('\n'),
    users.length === 0 ? '' : `Needed by ${formatNames(users.map((one) => one.id))}`,
    formatLocationLink(view.project, definition.doc, definition.node.start),
  );
}

const hasAction = ({ actions }: ResourceModel, key: string): boolean => actions.some((action) => action.key === key);

export function actionMarkdown(view: DocumentContext, action: ActionModel): string {
  const { resources } = view.analysis;
  const users = resources.flatMap(({ actions }) => actions.filter(({ depends }) => depends.includes(action.key)));
  const owner = resources.find(({ actions }) => actions.includes(action));
  const turn = owner === undefined ? undefined : describeExecutionOrder(view, owner).get(action.key);
  return joinBlocks(
    `**${toCodeSpan(action.key)}**: ${describeAction(action)}`,
    [
      turn === undefined ? '' : `Runs ${turn}`,
      action.main ? 'Its result is the result of the resource' : '',
      action.depends.length === 0 ? '' : `Waits for ${formatNames(action.depends)}`,
      users.length === 0 ? '' : `Needed by ${formatNames(users.map(({ key }) => key))}`,
      action.models.length === 0 ? '' : `Touches ${formatNames(action.models)}`,
    ]
      .filter((line) => line !== '')
      .map((line) => `- ${line}`)
      .join('\n'),
    formatLocationLink(view.project, action.definition.doc, action.node.start),
  );
}

function describeAction({ mode, definition, node }: ActionModel): string {
  const { statements, documents } = definition.finds;
  const statement = statements
    .find((one) => isInside(one.node, node))
    ?.scan.text.replace(/\s+/g, ' ')
    .trim();
  const collection = documents.find((one) => isInside(one.node, node))?.collection;
  const text = statement ?? collection ?? '';
  const short = text.length <= FIRST_WORDS ? text : `${text.slice(0, FIRST_WORDS)}…`;
  const parts = [mode, short].filter((part) => part !== '');
  return parts.length === 0 ? 'an actionable' : parts.map(toCodeSpan).join(': ');
}
