/**
 * A replacement of the module `vscode`: every member exists and does nothing, calls that matter to tests are recorded.
 * Loads the bundle of the client like an editor.
 */
import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from './project.js';

export interface RecordedCalls {
  readonly commands: Map<string, (...args: readonly unknown[]) => unknown>;
  readonly taskTypes: string[];
  readonly statusItems: string[];
  /** Every other member that was called, by its path. */
  readonly calls: string[];
}

/** A value that can be called, constructed, read and awaited, without an effect. */
function createAnything(path: string, calls: string[]): unknown {
  const proxyTarget = function nothing(): void {};
  return new Proxy(proxyTarget, {
    get(_, key) {
      // A promise would never resolve, and an iterator would never end.
      if (key === 'then') return undefined;
      if (key === 'prototype') return proxyTarget.prototype as unknown;
      if (key === Symbol.toPrimitive) return () => '';
      if (key === Symbol.iterator) return [][Symbol.iterator].bind([]);
      return createAnything(`${path}.${String(key)}`, calls);
    },
    apply: () => (calls.push(path), createAnything(`${path}()`, calls)),
    construct: () => createAnything(`new ${path}`, calls) as object,
  });
}

class EventEmitter<T> {
  private readonly listeners = new Set<(value: T) => unknown>();
  readonly event = (listener: (value: T) => unknown): { dispose: () => void } => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  fire(value: T): void {
    for (const listener of this.listeners) listener(value);
  }
  dispose(): void {
    this.listeners.clear();
  }
}

export interface Extension {
  readonly activate: (context: unknown) => Promise<void>;
  readonly deactivate: () => void;
}

/** The bundle, in a window without a folder. */
export function loadExtension(file: string): { readonly extension: Extension; readonly recorded: RecordedCalls } {
  const recorded: RecordedCalls = { commands: new Map(), taskTypes: [], statusItems: [], calls: [] };
  const { calls } = recorded;
  const createPart = (name: string, own: object): object =>
    Object.assign(Object.create(createAnything(name, calls) as object) as object, own);
  const none = { dispose: () => undefined };
  const vscode = createPart('vscode', {
    EventEmitter,
    commands: createPart('commands', {
      registerCommand: (id: string, run: (...args: readonly unknown[]) => unknown) => {
        if (recorded.commands.has(id)) throw new Error(`${id} is registered twice`);
        recorded.commands.set(id, run);
        return none;
      },
    }),
    languages: createPart('languages', {
      createLanguageStatusItem: (id: string) => (recorded.statusItems.push(id), { ...none }),
      getDiagnostics: () => [],
    }),
    tasks: createPart('tasks', { registerTaskProvider: (type: string) => (recorded.taskTypes.push(type), none) }),
    window: createPart('window', { activeTextEditor: undefined }),
    workspace: createPart('workspace', {
      workspaceFolders: undefined,
      textDocuments: [],
      findFiles: async () => [],
    }),
  });
  return { extension: evaluateModule(readFileSync(file, 'utf8'), file, vscode) as Extension, recorded };
}

/** The exports of one module of the extension, such as `tasks`, without the client of the language server. */
export async function loadExtensionModule(name: string, vscode: object): Promise<object> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, `extension/src/${name}.ts`)],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
    alias: { 'vscode-languageclient/node': 'node:util' },
    write: false,
  });
  return evaluateModule(outputFiles[0]?.text ?? '', import.meta.filename, vscode);
}

/** The exports of a CommonJS text, to which `vscode` is this value. */
function evaluateModule(text: string, file: string, vscode: object): object {
  const require = createRequire(file);
  const load = (name: string): unknown => (name === 'vscode' ? vscode : require(name));
  const module = { exports: {} };
  // oxlint-disable-next-line typescript/no-implied-eval, typescript/no-unsafe-call -- what `require` does
  new Function('require', 'module', 'exports', '__filename', text)(load, module, module.exports, file);
  return module.exports;
}
