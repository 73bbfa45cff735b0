/** Lists where the value at the cursor comes from and where it goes. The selected place is shown in the editor. */
import { QuickPickItemKind, Uri, ViewColumn, window, type QuickPickItem, type TextEditor } from 'vscode';
import type { Session } from './client.js';
import { fetchValueFlow, type FlowStep, type ValueFlow } from './panels/server-requests.js';
import { toRange } from './protocol-range.js';

interface StepItem extends QuickPickItem {
  readonly step?: FlowStep;
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
}

/** Where the value leaves the project comes first. */
export function listItems({ groups }: ValueFlow): StepItem[] {
  const leaving = groups.flatMap(({ title, steps }) =>
    steps.flatMap((step) => (step.leaves ? [toItem(step, `${title}, ${step.detail}`)] : [])),
  );
  return [
    createTitle('who can see it'),
    ...(leaving.length === 0 ? [{ label: 'nothing returns or sends it' }] : leaving),
    ...groups.flatMap(({ title, steps }) => [
      createTitle(title),
      ...steps.filter(({ leaves }) => !leaves).map((step) => toItem(step, step.detail)),
    ]),
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
