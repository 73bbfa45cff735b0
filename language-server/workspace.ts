/**
 * The projects of an editor's folders. A project is the nearest folder with a config file above a definition, or the
 * workspace folder itself; each is read once, when its first file is asked for. Open files shadow those on disk.
 */
import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { CONFIG_NAME } from '../kernel/project/names.js';
import { openProject, type Opening, type Project } from './project.js';

interface Given {
  readonly trusted: () => boolean;
  /** The editor has said at the start what there is to say; until then only what a glance needs is read. */
  readonly quiet: Promise<void>;
  /** Something can be told of open files, although not everything is read. */
  readonly glimpsed: (project: Project) => void;
}

export interface Workspace {
  /** Opens the projects that the folders hold. */
  begin(): void;
  addFolders(folders: readonly string[]): void;
  removeFolders(folders: readonly string[]): void;
  /** The project that a file belongs to. */
  projectOf(name: string): Promise<Project | null>;
  projects(): Promise<readonly Project[]>;
  /**
   * The text of an open file; null when it is closed. `plain`: the editor knows no more of it than that it is JSON, so it may be
   * anybody's.
   */
  type(name: string, text: string | null, plain?: boolean): Promise<Project | null>;
  /** Tells which projects saw a change. Null: everything is read again. */
  refresh(names: readonly string[] | null): Promise<readonly Project[]>;
}

export function createWorkspace({ trusted, quiet, glimpsed }: Given): Workspace {
  const folders = new Set<string>();
  const open = new Map<string, Opening>();
  const typed = new Map<string, string>();
  const plain = new Set<string>();

  /** Plain JSON that is on disk and that no config asks for is somebody else's file. */
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
    // A folder that could not be read may be read the next time; who waits until all is read is told why.
    opening.read.catch(() => open.delete(folder));
    known.catch(() => undefined);
    return opening;
  }

  /** What was typed is laid over a project that is still being read, and looked at. */
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
      // Typed meanwhile: the newest text counts.
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
