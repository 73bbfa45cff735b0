/** Describes resources and actionables: what they do, in which order, and their dependents. */
import { inside } from '../language/analysis/report.js';
import type { ActionModel, ResourceModel } from '../language/analysis/model.js';
import { blocks } from '../language/export/markdown.js';
import { turnsOf } from './turns.js';
import { placeWords } from './place-words.js';
import { inCode } from './safe-markdown.js';
import type { View } from './view.js';
import { namesOf } from './words.js';

/** Maximum length of a query excerpt. */
const FIRST_WORDS = 70;

export function resourceMarkdown(view: View, resource: ResourceModel): string {
  const { id, path, actions, definition } = resource;
  const turns = turnsOf(view, resource);
  const rows = actions.map((action) => {
    const turn = turns.get(action.key) ?? '';
    return `- ${inCode(String(action.id))} ${workOf(action)}${turn === '' ? '' : `, ${turn}`}`;
  });
  const users = view.analysis.resources.filter(
    (other) => other !== resource && other.actions.some(({ depends }) => depends.some((key) => isOf(resource, key))),
  );
  return blocks(
    `**${inCode(id)}**: resource at ${inCode(`/${path}`)}`,
    rows.join('\n'),
    users.length === 0 ? '' : `Needed by ${namesOf(users.map((one) => one.id))}`,
    placeWords(view.project, definition.doc, definition.node.start),
  );
}

const isOf = ({ actions }: ResourceModel, key: string): boolean => actions.some((action) => action.key === key);

export function actionMarkdown(view: View, action: ActionModel): string {
  const { resources } = view.analysis;
  const users = resources.flatMap(({ actions }) => actions.filter(({ depends }) => depends.includes(action.key)));
  const owner = resources.find(({ actions }) => actions.includes(action));
  const turn = owner === undefined ? undefined : turnsOf(view, owner).get(action.key);
  return blocks(
    `**${inCode(action.key)}**: ${workOf(action)}`,
    [
      turn === undefined ? '' : `Runs ${turn}`,
      action.main ? 'Its result is the result of the resource' : '',
      action.depends.length === 0 ? '' : `Waits for ${namesOf(action.depends)}`,
      users.length === 0 ? '' : `Needed by ${namesOf(users.map(({ key }) => key))}`,
      action.models.length === 0 ? '' : `Touches ${namesOf(action.models)}`,
    ]
      .filter((line) => line !== '')
      .map((line) => `- ${line}`)
      .join('\n'),
    placeWords(view.project, action.definition.doc, action.node.start),
  );
}

function workOf({ mode, definition, node }: ActionModel): string {
  const { statements, documents } = definition.finds;
  const statement = statements
    .find((one) => inside(one.node, node))
    ?.scan.text.replace(/\s+/g, ' ')
    .trim();
  const collection = documents.find((one) => inside(one.node, node))?.collection;
  const text = statement ?? collection ?? '';
  const short = text.length <= FIRST_WORDS ? text : `${text.slice(0, FIRST_WORDS)}…`;
  const parts = [mode, short].filter((part) => part !== '');
  return parts.length === 0 ? 'an actionable' : parts.map(inCode).join(': ');
}
