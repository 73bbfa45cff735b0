/** A statement in its own editor, run and explained on the kernel that `lintel dev` has. */
import type { Editor } from './editor.js';

/** `line`: of the statement in the file of the resource "rate", from one. */
export async function runStatement(editor: Editor, file: string, line: number): Promise<void> {
  const { page } = editor;
  const output = page.locator('.panel .output-view');
  await editor.open(file, line, 30);
  await editor.actUntilSeen(
    () => editor.pressKeys('Alt+Enter'),
    () => page.locator('.tab.active[data-resource-name="rate 1.sql"]').waitFor(),
  );
  await editor.pressKeys('Control+End');
  // The table is empty.
  await editor.type(' UNION ALL SELECT $1');
  for (const [command, result] of [
    ['Lintel: Run Statement', /1.row.*currency.*EUR/s],
    ['Lintel: Explain Statement', /Scan.*_rates/s],
  ] as const) {
    await editor.run(command, () => editor.waitForInput('$1 = currency'));
    await editor.submitInput('$1 = currency', 'EUR');
    await output.filter({ hasText: result }).waitFor();
  }
}
