/**
 * Opens the projects of the editor's folders. A file's project is the nearest folder above it with a config file, or the
 * workspace folder. Each is loaded once, on demand.
 */
import { existsSync } from 'node:fs';
import { dirname, join, parse, sep } from 'node:path';
import { CONFIG_NAME } from '../language/project/names.js';
import { openProject, type ProjectLoad, type Project } from './project.js';

interface WorkspaceOptions {
  readonly trusted: () => boolean;
  /** Resolves when the editor has sent its initial notifications; until then only plugins are loaded. */
  readonly quiet: Promise<void>;
  /** Called when per-file diagnostics are possible, before the project is fully loaded. */
  readonly onPreloaded: (project: Project) => void;
}

export interface Workspace {
  /** Opens the projects in the folders. */
  begin(): void;
  addFolders(folders: readonly string[]): void;
  removeFolders(folders: readonly string[]): void;
  /** The folder of the project of unsaved documents; without an open folder, one that does not exist. */
  getFirstFolder(): string;
  /** The project that contains a file. */
  findProject(name: string): Promise<Project | null>;
  listProjects(): Promise<readonly Project[]>;
  /** Null closes the file. `plain`: the editor treats it as ordinary JSON, so it may be unrelated to the project. */
  setText(name: string, text: string | null, plain?: boolean): Promise<Project | null>;
  /** Returns the affected projects. Null rereads everything. */
  refresh(names: readonly string[] | null): Promise<readonly Project[]>;
}

const NO_FOLDER = '.lintel-without-folder';

export function createWorkspace({ trusted, quiet, onPreloaded }: WorkspaceOptions): Workspace {
  const folders = new Set<string>();
  const open = new Map<string, ProjectLoad>();
  const typed = new Map<string, string>();
  const plain = new Set<string>();

  /** Ignores ordinary JSON files on disk that no config includes. */
  function overlayText(project: Project, name: string): void {
    const text = typed.get(name) ?? null;
    if (text !== null && plain.has(name) && !project.hasFile(name) && existsSync(name)) return;
    project.setText(name, text);
  }

  function openFolder(folder: string): ProjectLoad {
    const before = open.get(folder);
    if (before !== undefined) return before;
    const { preloaded, loaded } = openProject(folder, { trusted, quiet });
    const overlayAllTexts = (project: Project): Project => {
      for (const name of typed.keys()) if (findProjectFolder(name) === folder) overlayText(project, name);
      return project;
    };
    const opening: ProjectLoad = { preloaded: preloaded, loaded: loaded.then(overlayAllTexts) };
    open.set(folder, opening);
    // Allows a retry; callers that await `read` receive the error.
    opening.loaded.catch(() => open.delete(folder));
    preloaded.catch(() => undefined);
    return opening;
  }

  /** Applies open texts to a project that is still loading, and reports it for early diagnostics. */
  function previewProject({ preloaded }: ProjectLoad, name: string): void {
    const reportPreview = (project: Project): void => {
      if (project.isRead || !typed.has(name)) return;
      overlayText(project, name);
      if (project.hasFile(name)) onPreloaded(project);
    };
    void preloaded.then(reportPreview, () => undefined);
  }

  const projectIn = (folder: string): Promise<Project> => openFolder(folder).loaded;

  function openAll(): void {
    for (const folder of folders) if (existsSync(join(folder, CONFIG_NAME))) openFolder(folder);
  }

  function findProjectFolder(name: string): string {
    const around = [...folders]
      .filter((folder) => name.startsWith(folder + sep))
      .sort((a, b) => b.length - a.length)[0];
    for (let at = dirname(name); ; at = dirname(at)) {
      if (existsSync(join(at, CONFIG_NAME))) return at;
      if (at === around) return at;
      if (at === dirname(at)) return around ?? dirname(name);
    }
  }

  return {
    begin: openAll,
    addFolders: (names) => names.forEach((name) => folders.add(name)),
    removeFolders(names) {
      for (const name of names) {
        folders.delete(name);
        for (const folder of open.keys()) if (folder === name || folder.startsWith(name + sep)) open.delete(folder);
      }
    },
    getFirstFolder: () => [...open.keys(), ...folders][0] ?? join(parse(process.cwd()).root, NO_FOLDER),
    findProject: (name) => projectIn(findProjectFolder(name)),
    async listProjects() {
      openAll();
      const all = await Promise.allSettled([...open.values()].map(({ loaded }) => loaded));
      return all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    },
    async setText(name, text, isPlain = false) {
      const waits = open.get(findProjectFolder(name));
      if (text === null) typed.delete(name);
      else typed.set(name, text);
      if (isPlain) plain.add(name);
      else plain.delete(name);
      const opening = waits ?? openFolder(findProjectFolder(name));
      if (text !== null) previewProject(opening, name);
      const project = await opening.loaded;
      // The newest text wins if it changed in the meantime.
      overlayText(project, name);
      if (text === null) await project.refresh([name]);
      return project;
    },
    async refresh(names) {
      const projects = await this.listProjects();
      const touched = projects.filter(
        ({ folder }) => names === null || names.some((name) => name.startsWith(folder + sep)),
      );
      const isChanged = await Promise.all(
        touched.map((project) =>
          project.refresh(names === null ? null : names.filter((name) => name.startsWith(project.folder + sep))),
        ),
      );
      return touched.filter((_project, i) => isChanged[i]);
    },
  };
}
