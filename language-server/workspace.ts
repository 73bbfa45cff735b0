/**
 * Opens the projects of the editor's folders. A file's project is the nearest folder above it with a config file, or the
 * workspace folder. Each is loaded once, on demand.
 */
import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { CONFIG_NAME } from '../language/project/names.js';
import { openProject, type Opening, type Project } from './project.js';

interface Given {
  readonly trusted: () => boolean;
  /** Resolves when the editor has sent its initial notifications; until then only plugins are loaded. */
  readonly quiet: Promise<void>;
  /** Called when per-file diagnostics are possible, before the project is fully loaded. */
  readonly glimpsed: (project: Project) => void;
}

export interface Workspace {
  /** Opens the projects in the folders. */
  begin(): void;
  addFolders(folders: readonly string[]): void;
  removeFolders(folders: readonly string[]): void;
  /** The project that contains a file. */
  projectOf(name: string): Promise<Project | null>;
  projects(): Promise<readonly Project[]>;
  /** Null closes the file. `plain`: the editor treats it as ordinary JSON, so it may be unrelated to the project. */
  type(name: string, text: string | null, plain?: boolean): Promise<Project | null>;
  /** Returns the affected projects. Null rereads everything. */
  refresh(names: readonly string[] | null): Promise<readonly Project[]>;
}

export function createWorkspace({ trusted, quiet, glimpsed }: Given): Workspace {
  const folders = new Set<string>();
  const open = new Map<string, Opening>();
  const typed = new Map<string, string>();
  const plain = new Set<string>();

  /** Ignores ordinary JSON files on disk that no config includes. */
  function lay(project: Project, name: string): void {
    const text = typed.get(name) ?? null;
    if (text !== null && plain.has(name) && !project.holds(name) && existsSync(name)) return;
    project.type(name, text);
  }

  function openingOf(folder: string): Opening {
    const before = open.get(folder);
    if (before !== undefined) return before;
    const { known, read } = openProject(folder, { trusted, quiet });
    const layAll = (project: Project): Project => {
      for (const name of typed.keys()) if (folderOf(name) === folder) lay(project, name);
      return project;
    };
    const opening: Opening = { known, read: read.then(layAll) };
    open.set(folder, opening);
    // Allows a retry; callers that await `read` receive the error.
    opening.read.catch(() => open.delete(folder));
    known.catch(() => undefined);
    return opening;
  }

  /** Applies open texts to a project that is still loading, and reports it for early diagnostics. */
  function glimpse({ known }: Opening, name: string): void {
    const look = (project: Project): void => {
      if (project.isRead || !typed.has(name)) return;
      lay(project, name);
      if (project.holds(name)) glimpsed(project);
    };
    void known.then(look, () => undefined);
  }

  const projectIn = (folder: string): Promise<Project> => openingOf(folder).read;

  function openAll(): void {
    for (const folder of folders) if (existsSync(join(folder, CONFIG_NAME))) openingOf(folder);
  }

  function folderOf(name: string): string {
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
    projectOf: (name) => projectIn(folderOf(name)),
    async projects() {
      openAll();
      const all = await Promise.allSettled([...open.values()].map(({ read }) => read));
      return all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    },
    async type(name, text, isPlain = false) {
      const waits = open.get(folderOf(name));
      if (text === null) typed.delete(name);
      else typed.set(name, text);
      if (isPlain) plain.add(name);
      else plain.delete(name);
      const opening = waits ?? openingOf(folderOf(name));
      if (text !== null) glimpse(opening, name);
      const project = await opening.read;
      // The newest text wins if it changed in the meantime.
      lay(project, name);
      if (text === null) await project.refresh([name]);
      return project;
    },
    async refresh(names) {
      const projects = await this.projects();
      const touched = projects.filter(
        ({ folder }) => names === null || names.some((name) => name.startsWith(folder + sep)),
      );
      await Promise.all(
        touched.map((project) =>
          project.refresh(names === null ? null : names.filter((name) => name.startsWith(project.folder + sep))),
        ),
      );
      return touched;
    },
  };
}
