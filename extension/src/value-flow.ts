/** Lists where the value at the cursor comes from and where it goes. The selected place is shown in the editor. */
import { QuickPickItemKind, commands, Uri, ViewColumn, window, type QuickPickItem, type TextEditor } from 'vscode';
import type { Session } from './client.js';
import { fetchValueFlow, type FlowStep, type ValueFlow } from './panels/server-requests.js';
import { toRange } from './protocol-range.js';

interface StepItem extends QuickPickItem {
  readonly step?: FlowStep;
  /** The id of the resource to show the plan of. */
  readonly plan?: string;
}

export async function showValueFlow(session: Session, editor: TextEditor | undefined): Promise<void> {
  const flow =
    editor === undefined
      ? null
      : await fetchValueFlow(session, editor.document.uri.toString(), {
          line: editor.selection.active.line,
          character: editor.selection.active.character,
        });
  if (flow === null || flow.groups.every(({ steps }) => steps.length === 0)) {
    void window.showInformationMessage(
      'There is no value here. Put the cursor on a field of a model, a field of the payload, a name of a result or a claim.',
    );
    return;
  }
  const picked = await window.showQuickPick(listItems(flow), {
    title: `Lintel: value of ${flow.name}`,
    matchOnDescription: true,
    onDidSelectItem: (item: StepItem) => item.step && void revealStep(item.step, true),
  });
  if (picked?.step !== undefined) await revealStep(picked.step, false);
  if (picked?.plan !== undefined)
    await commands.executeCommand('lintel.showPlan', undefined, picked.plan, listMarks(flow));
}

/** By the key of the actionable, or the id of the resource. */
function listMarks({ groups }: ValueFlow): Record<string, string[]> {
  const marks: Record<string, string[]> = {};
  for (const { title, steps } of groups)
    for (const { place, label } of steps) (marks[place] ??= []).push(`${title}: ${label.replace(` ${place}`, '')}`);
  return marks;
}

function listPlans({ groups }: ValueFlow): StepItem[] {
  const ids = groups.flatMap(({ steps }) => steps.map(({ place }) => place.replace(/#\d+$/, '')));
  return [...new Set(ids)].map((plan) => ({ label: `plan of ${plan}`, plan }));
}

/** Where the value leaves the project comes first. */
export function listItems(flow: ValueFlow): StepItem[] {
  const { groups } = flow;
  const leaving = groups.flatMap(({ title, steps }) =>
    steps.flatMap((step) => (step.leaves ? [toItem(step, `${title}, ${step.detail}`)] : [])),
  );
  return [
    createTitle('visible to'),
    ...(leaving.length === 0 ? [{ label: 'nothing returns or sends it' }] : leaving),
    ...groups.flatMap(({ title, steps }) => [
      createTitle(title),
      ...steps.filter(({ leaves }) => !leaves).map((step) => toItem(step, step.detail)),
    ]),
    createTitle('in the plan of a resource'),
    ...listPlans(flow),
  ];
}

const createTitle = (label: string): StepItem => ({ label, kind: QuickPickItemKind.Separator });

const toItem = (step: FlowStep, description: string): StepItem => ({ label: step.label, description, step });

/** While the user chooses, the list keeps the focus. */
async function revealStep({ uri, range }: FlowStep, isPreview: boolean): Promise<void> {
  await window.showTextDocument(Uri.parse(uri), {
    selection: toRange(range),
    viewColumn: ViewColumn.Active,
    preserveFocus: isPreview,
    preview: isPreview,
  });
}
