/**
 * A real VS Code in a real browser, on a workspace, and what a person does in it. Every act waits for the element that
 * shows that it has happened, never for time. It judges nothing.
 */
import { join } from 'node:path';
import type { Browser, Frame, Locator, Page } from 'playwright-core';
import { startBrowser } from './browser.js';
import { missing, type Found } from './guarded.js';
import { until } from './until.js';
import { startVscode, type VscodeOptions } from './vscode.js';
import { NO_BROWSER } from './skip.js';

export interface EditorOptions extends VscodeOptions {
  /** The workspace; whoever made it removes it. */
  readonly folder: string;
}

export interface Editor {
  readonly page: Page;
  /** Shows a file of the workspace, its cursor at line and column (from one). */
  open(file: string, line?: number, column?: number): Promise<void>;
  /** Moves the cursor of the file that is shown. */
  goTo(line: number, column: number): Promise<void>;
  /** Waits until the file that is shown has this language, by its name in the status bar. */
  language(name: string): Promise<void>;
  /** Of a token of the file that is shown, as the page has it: `rgb(...)`. */
  colourOf(token: string): Promise<string>;
  /** Key by key, as people type. */
  type(text: string): Promise<void>;
  press(...keys: readonly string[]): Promise<void>;
  /** Writes the file that is shown, and waits until nothing of it is unsaved. */
  save(): Promise<void>;
  /** The underlines of a severity; waits for the first. */
  squiggle(severity?: 'error' | 'warning' | 'info'): Promise<Locator>;
  /** Waits until nothing of a severity is underlined. */
  sound(severity?: 'error' | 'warning' | 'info'): Promise<void>;
  /** Takes back what was done in the file that is shown, until nothing of it is unsaved. */
  undo(): Promise<void>;
  /** The text of the Problems panel once it says `part`. */
  problems(part: string | RegExp): Promise<string>;
  /** Asks for what may stand here and takes the entry of this name; what the list showed. */
  complete(label: string, seen?: () => Promise<void>): Promise<string>;
  /** Gives another name to what the cursor stands on. */
  rename(name: string): Promise<void>;
  /** A command of the palette, by its whole title. */
  run(title: string): Promise<void>;
  /** Writes into the field of this title that a command opened, and takes what it offers first. */
  answer(title: string, text: string): Promise<void>;
  /** The text of the hover at the cursor. */
  hover(): Promise<string>;
  /** The text of the notification that says `part`. */
  notification(part: string | RegExp): Promise<string>;
  /** The page inside a web view, once it shows an element. */
  webview(selector: string): Promise<Frame>;
  /** Waits until a field of this title asks something. */
  question(title: string): Promise<void>;
  /** Leaves questions and panels, for the file that was shown before them. */
  back(): Promise<void>;
  /** Presses a key, again where a busy editor has dropped it, until what it does is seen. */
  call(key: string, seen: () => Promise<unknown>): Promise<void>;
  /** Clicks the lens of this title that is shown first. */
  lens(title: string): Promise<void>;
  /** Says that the workspace is trusted, as its owner does. */
  trust(): Promise<void>;
  /** Waits for the question of this text, and answers it. */
  dialog(text: string, button: string): Promise<void>;
  screenshot(file: string): Promise<void>;
  close(): Promise<void>;
}

/** The page's own global, which Node's types do not know. */
interface InPage {
  getComputedStyle(element: unknown): { readonly color: string };
}

/** With two runs on a small machine an editor takes its time. */
const PATIENCE_MS = 60_000;

export async function startEditor({ folder, ...options }: EditorOptions): Promise<Found<Editor>> {
  const server = await startVscode(options);
  if ('skip' in server) return server;
  let browser: Browser | null = null;
  const close = async (): Promise<void> => {
    await browser?.close();
    await server.stop();
  };
  try {
    browser = await startBrowser();
    if (browser === null) {
      await close();
      return missing(NO_BROWSER);
    }
    const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(`${server.url}/?folder=${encodeURIComponent(folder)}`);
    // The first thing that stands when the workbench can be used.
    await page.locator('.monaco-workbench .part.statusbar').waitFor();
    return { ...acts(page, folder), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function acts(page: Page, folder: string): Omit<Editor, 'close'> {
  const quickInput = page.locator('.quick-input-widget .quick-input-box input');
  const entries = page.locator('.quick-input-widget .monaco-list-row');
  const lines = page.locator('.editor-group-container.active .view-lines');
  const suggestions = page.locator('.suggest-widget.visible');
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** Presses keys again every few seconds until their effect is seen: a busy editor drops some. */
  const pressUntil = async (keys: readonly string[], seen: () => Promise<unknown>): Promise<void> => {
    let isOver = false;
    const happened = seen().finally(() => (isOver = true));
    while (!isOver) {
      await press(...keys);
      await Promise.race([happened, page.waitForTimeout(PATIENCE_MS / 6)]);
    }
  };
  const goTo = async (line: number, column: number): Promise<void> => {
    await press('Control+g');
    await quickInput.fill(`:${line}:${column}`);
    await press('Enter');
    await quickInput.waitFor({ state: 'hidden' });
    await page.locator('.statusbar').getByText(`Ln ${line}, Col ${column}`).waitFor();
  };

  return {
    page,
    press,
    goTo,
    async open(file, line = 1, column = 1) {
      await press('Control+p');
      // By its whole path, as `Go to File` takes it, so that nothing is searched for and nothing else can be found.
      await quickInput.fill(join(folder, file));
      const entry = entries.filter({ hasText: file.split('/').at(-1)! }).first();
      await entry.waitFor();
      // The list still grows: another entry may have come to stand first.
      await entry.click();
      await page.locator(`.tab.active[data-resource-name="${file.split('/').at(-1)!}"]`).waitFor();
      await page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
      await goTo(line, column);
    },
    language: (name) => page.locator('.statusbar').getByText(name, { exact: true }).waitFor(),
    colourOf: (token) =>
      lines
        .getByText(token, { exact: true })
        .first()
        .evaluate((element) => (globalThis as unknown as InPage).getComputedStyle(element).color),
    type: (text) => page.keyboard.type(text),
    async save() {
      await press('Control+s');
      await page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
    },
    async squiggle(severity = 'error') {
      const found = page.locator(`.squiggly-${severity}`);
      await found.first().waitFor();
      return found;
    },
    sound: (severity = 'error') => page.locator(`.squiggly-${severity}`).first().waitFor({ state: 'detached' }),
    async undo() {
      while (await page.locator('.tab.active.dirty').isVisible()) await press('Control+z');
    },
    async problems(part) {
      const panel = page.locator('.markers-panel');
      if (!(await panel.isVisible())) await press('Control+Shift+M');
      await panel.filter({ hasText: part }).waitFor();
      return panel.innerText();
    },
    async complete(label, seen) {
      await press('Control+Space');
      const entry = suggestions.locator('.monaco-list-row').filter({ has: page.getByText(label, { exact: true }) });
      await entry.waitFor();
      const shown = await suggestions.innerText();
      await seen?.();
      // With the keys: a click may also mean the little arrow that opens the words beside the list.
      await suggestions
        .locator('.monaco-list-row.focused')
        .filter({ has: page.getByText(label, { exact: true }) })
        .waitFor();
      // A busy editor drops a key that comes while it draws the list.
      for (let time = 1; time <= 6; time++) {
        await press('Enter');
        const isOver = suggestions.waitFor({ state: 'hidden', timeout: PATIENCE_MS / 6 }).then(() => true);
        if (await isOver.catch(() => false)) return shown;
      }
      throw new Error(`"${label}" was not accepted`);
    },
    async rename(name) {
      await press('F2');
      const box = page.locator('.rename-box input');
      await box.fill(name);
      await press('Enter');
      await box.waitFor({ state: 'hidden' });
    },
    async run(title) {
      await press('F1');
      await quickInput.fill(`>${title}`);
      await entries.filter({ hasText: title }).first().waitFor();
      await press('Enter');
      // A command may ask something itself; the palette is over when its own line is gone.
      const isOver = async (): Promise<boolean> =>
        !(await quickInput.isVisible()) || !(await quickInput.inputValue()).startsWith('>');
      await until(isOver, `${title} has begun`);
    },
    async answer(title, text) {
      await this.question(title);
      await quickInput.fill(text);
      await press('Enter');
    },
    async hover() {
      // Tabs and buttons under the pointer have hovers of their own.
      const shown = page.locator('.monaco-hover:not(.hidden):not(.workbench-hover) .monaco-hover-content').first();
      // The editor asks once for each press, and shows nothing when the answer comes late.
      for (let tries = 1; !(await shown.isVisible()); tries++) {
        await press('Control+k', 'Control+i');
        await shown.waitFor({ timeout: PATIENCE_MS / 6 }).catch((error: unknown) => {
          if (tries === 6) throw error;
        });
      }
      return shown.innerText();
    },
    async notification(part) {
      const shown = page.locator('.notification-list-item').filter({ hasText: part }).first();
      await shown.waitFor();
      return shown.innerText();
    },
    async webview(selector) {
      let found: Frame | undefined;
      await until(async () => {
        for (const frame of page.frames()) {
          // A frame may go away while it is asked.
          if (
            await frame
              .locator(selector)
              .first()
              .isVisible()
              .catch(() => false)
          )
            found = frame;
        }
        return found !== undefined;
      }, `a web view with ${selector}`);
      return found!;
    },
    question: (title) => page.locator('.quick-input-title').filter({ hasText: title }).waitFor(),
    back: () =>
      pressUntil(['Escape', 'Escape', 'Control+1'], () =>
        page.locator('.editor-group-container.active .monaco-editor.focused').waitFor(),
      ),
    call: (key, seen) => pressUntil([key], seen),
    async lens(title) {
      await page.locator('.codelens-decoration a').filter({ hasText: title }).first().click();
    },
    async trust() {
      await press('F1');
      await quickInput.fill('>Workspaces: Manage Workspace Trust');
      await entries.filter({ hasText: 'Manage Workspace Trust' }).first().waitFor();
      await press('Enter');
      const manager = page.locator('.workspace-trust-editor');
      await manager
        .locator('.monaco-button')
        .filter({ hasText: /^Trust$/ })
        .first()
        .click();
      await manager.locator('.workspace-trust-header').filter({ hasText: 'You trust this' }).waitFor();
    },
    async dialog(text, button) {
      const shown = page.locator('.monaco-dialog-box').filter({ hasText: text });
      await shown.locator('.monaco-button').filter({ hasText: button }).click();
      await shown.waitFor({ state: 'hidden' });
    },
    async screenshot(file) {
      await page.screenshot({ path: file });
    },
  };
}
