/** Tracks the projects of the workspace (folders with a config file) and their globs. */
import { EventEmitter, RelativePattern, Uri, languages, workspace } from 'vscode';
import type { Disposable, Event, TextDocument } from 'vscode';
import { CONFIG_FILE, EXCLUDED_FOLDERS, NAMED_DEFINITION } from './files.js';
import { readDefinitionGlobs, type Globs } from './globs.js';

export interface Project {
  readonly folder: Uri;
  readonly config: Uri;
  readonly globs: Globs;
}

export interface Projects extends Disposable {
  readonly onDidChange: Event<void>;
  all(): readonly Project[];
  /** The project in the innermost folder around the file, otherwise the first project. */
  find(uri?: Uri): Project | undefined;
  /** True if the file is a definition by its name or by the config's globs. */
  hasDefinition(document: TextDocument): boolean;
  refresh(): Promise<void>;
}

export function watchProjects(): Projects {
  const changed = new EventEmitter<void>();
  let all: readonly Project[] = [];
  let turn = 0;
  const refresh = async (): Promise<void> => {
    const mine = ++turn;
    const configs = await workspace.findFiles(`**/${CONFIG_FILE}`, EXCLUDED_FOLDERS);
    const next = await Promise.all(configs.map(readProject));
    // A later refresh supersedes this one.
    if (mine !== turn) return;
    all = next.sort((a, b) => a.folder.path.localeCompare(b.folder.path));
    changed.fire();
  };
  const watcher = workspace.createFileSystemWatcher(`**/${CONFIG_FILE}`);
  const triggerRefresh = (): void => void refresh();
  const listeners = [
    watcher,
    watcher.onDidCreate(triggerRefresh),
    watcher.onDidChange(triggerRefresh),
    watcher.onDidDelete(triggerRefresh),
    workspace.onDidChangeWorkspaceFolders(triggerRefresh),
  ];
  return {
    onDidChange: changed.event,
    all: () => all,
    find: (uri) =>
      (uri === undefined
        ? undefined
        : [...all].reverse().find(({ folder }) => `${uri.path}/`.startsWith(`${folder.path}/`))) ?? all[0],
    hasDefinition: (document) =>
      NAMED_DEFINITION.test(document.uri.path) || all.some((project) => isDefinition(project, document)),
    refresh,
    dispose: () => [...listeners, changed].forEach((each) => void each.dispose()),
  };
}

async function readProject(config: Uri): Promise<Project> {
  const text = await workspace.fs.readFile(config).then(
    (bytes) => new TextDecoder().decode(bytes),
    () => '',
  );
  return { folder: Uri.joinPath(config, '..'), config, globs: readDefinitionGlobs(text) };
}

function isDefinition({ folder, config, globs }: Project, document: TextDocument): boolean {
  if (document.uri.toString() === config.toString()) return true;
  const isMatching = (glob: string): boolean =>
    languages.match({ pattern: new RelativePattern(folder, glob) }, document) > 0;
  return globs.include.some(isMatching) && !globs.exclude.some(isMatching);
}
