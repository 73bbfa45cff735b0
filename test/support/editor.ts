/**
 * A real VS Code in a real browser, on a workspace, and actions of a user. Every action waits for the element that
 * shows its effect, never for time. It asserts nothing.
 */
import { join } from 'node:path';
import type { Browser, Frame, Locator, Page } from 'playwright-core';
import { startBrowser } from './browser.js';
import { skipWithReason, type ServerOrSkip } from './guarded-server.js';
import { waitUntil } from './until.js';
import { startVscode, type VscodeOptions } from './vscode.js';
import { NO_BROWSER } from './skip.js';

export interface EditorOptions extends VscodeOptions {
  /** The workspace; its creator removes it. */
  readonly folder: string;
  readonly viewport?: { readonly width: number; readonly height: number };
}

export interface Editor {
  readonly page: Page;
  /** Shows a file of the workspace, its cursor at line and column (from one). */
  open(file: string, line?: number, column?: number): Promise<void>;
  /** Moves the cursor of the file that is shown. */
  goTo(line: number, column: number): Promise<void>;
  /** Waits until the file that is shown has this language, by its name in the status bar. */
  waitForLanguage(name: string): Promise<void>;
  /** Of a token of the file that is shown, as the page has it: `rgb(...)`. */
  readColour(token: string): Promise<string>;
  /** Key by key, as people type. */
  type(text: string): Promise<void>;
  pressKeys(...keys: readonly string[]): Promise<void>;
  /** Writes the file that is shown, and waits until nothing of it is unsaved. */
  save(): Promise<void>;
  /** The underlines of a severity; waits for the first. */
  findSquiggles(severity?: 'error' | 'warning' | 'info'): Promise<Locator>;
  /** Waits until nothing of a severity is underlined. */
  waitUntilClean(severity?: 'error' | 'warning' | 'info'): Promise<void>;
  /** Reverts unsaved changes of the visible file. */
  revertChanges(): Promise<void>;
  /** The text of the Problems panel once it contains `part`. */
  readProblems(part: string | RegExp): Promise<string>;
  /** Requests completion, accepts the entry of this name, and returns the list. */
  acceptCompletion(label: string, seen?: () => Promise<void>): Promise<string>;
  /** Renames the symbol at the cursor. */
  renameSymbol(name: string): Promise<void>;
  /** Runs a command of the palette, by its whole title, again where a busy editor has closed the palette, until its effect is seen. */
  run(title: string, seen: () => Promise<unknown>): Promise<void>;
  /** Types into the input of this title that a command opened, and accepts the first entry. */
  submitInput(title: string, text: string): Promise<void>;
  /** The text of the hover at the cursor. */
  readHover(): Promise<string>;
  /** The text of the notification that contains `part`. */
  readNotification(part: string | RegExp): Promise<string>;
  /** The page inside a web view, once it shows an element. */
  findWebview(selector: string): Promise<Frame>;
  /** Waits until an input of this title is open. */
  waitForInput(title: string): Promise<void>;
  /** Leaves questions and panels, for the file that was shown before them. */
  closePanels(): Promise<void>;
  /** Acts, again where a busy editor has dropped the key or the click, until the effect is seen. */
  actUntilSeen(act: () => Promise<unknown>, seen: () => Promise<unknown>): Promise<void>;
  /**
   * Clicks the first visible lens of this title, again if a busy editor has redrawn it, until its effect is visible.
   */
  clickCodeLens(title: string, seen: () => Promise<unknown>): Promise<void>;
  /** Marks the workspace as trusted, like its owner does. */
  trustWorkspace(): Promise<void>;
  /** Waits for the dialog with this text, and confirms it. */
  answerDialog(text: string, button: string): Promise<void>;
  saveScreenshot(file: string): Promise<void>;
  /** The end of what the language server has reported. */
  readServerLog(): Promise<string>;
  openEmptyWindow(): Promise<void>;
  close(): Promise<void>;
}

/** The page's global object, which Node's types do not include. */
interface InPage {
  getComputedStyle(element: unknown): { readonly color: string };
}

/** With two runs on a small machine an editor is slow. */
const PATIENCE_MS = 60_000;
/** Characters. */
const LOG_LENGTH = 4000;
/** After which a key or a click that had no effect is repeated. */
const RETRY_MS = PATIENCE_MS / 6;

export async function startEditor({
  folder,
  viewport = { width: 1600, height: 1000 },
  ...options
}: EditorOptions): Promise<ServerOrSkip<Editor>> {
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
      return skipWithReason(NO_BROWSER);
    }
    const page = await browser.newPage({ viewport, reducedMotion: 'reduce' });
    page.setDefaultTimeout(PATIENCE_MS);
    const openWindow = async (query: string): Promise<void> => {
      await page.goto(`${server.url}/?${query}`);
      await page.locator('.monaco-workbench .part.statusbar').waitFor();
    };
    await openWindow(`folder=${encodeURIComponent(folder)}`);
    return {
      ...createActions(page, folder),
      openEmptyWindow: () => openWindow('ew=true'),
      readServerLog: async () => (await server.readLog('Lintel.log')).slice(-LOG_LENGTH),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function createActions(page: Page, folder: string): Omit<Editor, 'close' | 'openEmptyWindow' | 'readServerLog'> {
  const quickInput = page.locator('.quick-input-widget .quick-input-box input');
  const inputTitle = page.locator('.quick-input-title');
  const entries = page.locator('.quick-input-widget .monaco-list-row');
  const lines = page.locator('.editor-group-container.active .view-lines');
  const suggestions = page.locator('.suggest-widget.visible');
  const pressKeys = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /**
   * Repeats an action until its effect is visible: a busy editor drops keys and clicks. The pauses grow, because a
   * repeated action may close what a busy editor is about to show.
   */
  const actUntil = async (act: () => Promise<unknown>, seen: () => Promise<unknown>): Promise<void> => {
    let isOver = false;
    let pause = RETRY_MS;
    const happened = seen().finally(() => (isOver = true));
    happened.catch(() => {});
    while (!isOver) {
      // A redrawn or removed element cannot be clicked; the effect decides.
      await act().catch(() => {});
      await Promise.race([happened, page.waitForTimeout(pause)]);
      pause *= 2;
    }
    await happened;
  };
  const pressUntil = (keys: readonly string[], seen: () => Promise<unknown>): Promise<void> =>
    actUntil(() => pressKeys(...keys), seen);
  /** Opens the palette with this text, again if it closes meanwhile: a busy editor moves the focus late. */
  const fillPalette = async (key: string, text: string): Promise<void> => {
    for (let tries = 1; ; tries++) {
      try {
        // In an open palette the key would take effect after the text was written, and replace it.
        await pressUntil(['Escape'], () => quickInput.waitFor({ state: 'hidden', timeout: RETRY_MS }));
        await pressKeys(key);
        await quickInput.waitFor({ timeout: RETRY_MS });
        await quickInput.fill(text, { timeout: RETRY_MS });
        // A palette that opens late replaces the text, and then the entry never appears.
        return await waitUntil(
          async () => (await quickInput.inputValue({ timeout: 500 })) === text,
          text,
          RETRY_MS / 5,
        );
      } catch (error) {
        if (tries === 6) throw error;
      }
    }
  };
  /** Presses Enter in the field that is open, and never after it: the key would change the file. */
  const submitQuickInput = (isOver: () => Promise<boolean>, what: string): Promise<void> =>
    actUntil(
      async () => {
        if (!(await isOver())) await pressKeys('Enter');
      },
      () => waitUntil(isOver, `${what} is taken`),
    );
  const goTo = async (line: number, column: number): Promise<void> => {
    await fillPalette('Control+g', `:${line}:${column}`);
    await submitQuickInput(async () => !(await quickInput.isVisible()), `line ${line}`);
    await page.locator('.statusbar').getByText(`Ln ${line}, Col ${column}`).waitFor();
  };
  const run = (title: string, seen: () => Promise<unknown>): Promise<void> =>
    actUntil(async () => {
      await fillPalette('F1', `>${title}`);
      // The list still grows, so the key could choose another command.
      await entries.filter({ hasText: title }).first().click({ timeout: RETRY_MS });
    }, seen);

  return {
    page,
    pressKeys,
    goTo,
    async open(file, line = 1, column = 1) {
      const name = file.split('/').at(-1)!;
      const show = async (): Promise<void> => {
        // By its whole path, as `Go to File` accepts it, so that nothing is searched and no other file can be found.
        await fillPalette('Control+p', join(folder, file));
        // The list still grows: another entry may have become the first.
        await entries.filter({ hasText: name }).first().click({ timeout: RETRY_MS });
      };
      await actUntil(show, async () => {
        // It may be open in another group too.
        await page.locator(`.tab.active[data-resource-name="${name}"]`).first().waitFor();
        await page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
      });
      await goTo(line, column);
    },
    waitForLanguage: (name) => page.locator('.statusbar').getByText(name, { exact: true }).waitFor(),
    readColour: (token) =>
      lines
        .getByText(token, { exact: true })
        .first()
        .evaluate((element) => (globalThis as unknown as InPage).getComputedStyle(element).color),
    type: (text) => page.keyboard.type(text),
    async save() {
      await pressUntil(['Control+s'], () => page.locator('.tab.active.dirty').waitFor({ state: 'detached' }));
    },
    async findSquiggles(severity = 'error') {
      const found = page.locator(`.squiggly-${severity}`);
      await found.first().waitFor();
      return found;
    },
    waitUntilClean: (severity = 'error') =>
      page.locator(`.squiggly-${severity}`).first().waitFor({ state: 'detached' }),
    revertChanges: () =>
      run('File: Revert File', () => page.locator('.tab.active.dirty').waitFor({ state: 'detached' })),
    async readProblems(part) {
      const panel = page.locator('.markers-panel');
      // The key shows the panel and hides it.
      const show = async (): Promise<void> => {
        if (!(await panel.isVisible())) await pressKeys('Control+Shift+M');
      };
      await actUntil(show, () => panel.filter({ hasText: part }).waitFor());
      return panel.innerText();
    },
    async acceptCompletion(label, seen) {
      await pressKeys('Control+Space');
      const entry = suggestions.locator('.monaco-list-row').filter({ has: page.getByText(label, { exact: true }) });
      await entry.waitFor();
      const shown = await suggestions.innerText();
      await seen?.();
      // With the keyboard: a click may hit the arrow that opens the details next to the list.
      await suggestions
        .locator('.monaco-list-row.focused')
        .filter({ has: page.getByText(label, { exact: true }) })
        .waitFor();
      // A busy editor drops a key pressed while it draws the list.
      for (let time = 1; time <= 6; time++) {
        await pressKeys('Enter');
        const isOver = suggestions.waitFor({ state: 'hidden', timeout: RETRY_MS }).then(() => true);
        if (await isOver.catch(() => false)) return shown;
      }
      throw new Error(`"${label}" was not accepted`);
    },
    async renameSymbol(name) {
      const box = page.locator('.rename-box input');
      await pressUntil(['F2'], () => box.waitFor());
      await box.fill(name);
      await actUntil(
        () => box.press('Enter', { timeout: RETRY_MS }),
        () => box.waitFor({ state: 'hidden' }),
      );
    },
    run,
    async submitInput(title, text) {
      await this.waitForInput(title);
      const asked = await inputTitle.innerText();
      await quickInput.fill(text);
      // The next question has another title.
      const isOver = async (): Promise<boolean> =>
        !(await inputTitle.isVisible()) || (await inputTitle.innerText()) !== asked;
      await submitQuickInput(isOver, `"${text}" for "${asked}"`);
    },
    async readHover() {
      // Tabs and buttons under the pointer have hovers of their own.
      const shown = page.locator('.monaco-hover:not(.hidden):not(.workbench-hover) .monaco-hover-content').first();
      // The editor sends one request for each key press, and shows nothing when the response is late.
      for (let tries = 1; !(await shown.isVisible()); tries++) {
        await pressKeys('Control+k', 'Control+i');
        await shown.waitFor({ timeout: RETRY_MS }).catch((error: unknown) => {
          if (tries === 6) throw error;
        });
      }
      return shown.innerText();
    },
    async readNotification(part) {
      const shown = page.locator('.notification-list-item').filter({ hasText: part }).first();
      await shown.waitFor();
      return shown.innerText();
    },
    async findWebview(selector) {
      let found: Frame | undefined;
      await waitUntil(async () => {
        for (const frame of page.frames()) {
          // A frame may be removed during the call.
          if (
            await frame
              .locator(selector)
              .first()
              .isVisible()
              .catch(() => false)
          )
            found = frame;
        }
        // Each check runs in every frame, and takes time from what it waits for.
        if (found === undefined) await page.waitForTimeout(100);
        return found !== undefined;
      }, `a web view with ${selector}`);
      return found!;
    },
    waitForInput: (title) => inputTitle.filter({ hasText: title }).waitFor(),
    closePanels: () =>
      pressUntil(['Escape', 'Escape', 'Control+1'], () =>
        page.locator('.editor-group-container.active .monaco-editor.focused').waitFor(),
      ),
    actUntilSeen: actUntil,
    clickCodeLens: (title, seen) =>
      actUntil(
        () => page.locator('.codelens-decoration a').filter({ hasText: title }).first().click({ timeout: RETRY_MS }),
        seen,
      ),
    async trustWorkspace() {
      const manager = page.locator('.workspace-trust-editor');
      if (!(await manager.isVisible())) await run('Workspaces: Manage Workspace Trust', () => manager.waitFor());
      const button = manager.locator('.monaco-button').filter({ hasText: /^Trust$/ });
      await actUntil(
        () => button.first().click({ timeout: RETRY_MS }),
        () => manager.locator('.workspace-trust-header').filter({ hasText: 'You trust this' }).waitFor(),
      );
    },
    async answerDialog(text, button) {
      const shown = page.locator('.monaco-dialog-box').filter({ hasText: text });
      await shown.waitFor();
      await actUntil(
        () => shown.locator('.monaco-button').filter({ hasText: button }).click({ timeout: RETRY_MS }),
        () => shown.waitFor({ state: 'hidden' }),
      );
    },
    async saveScreenshot(file) {
      await page.screenshot({ path: file });
    },
  };
}
