/** `lintel serve` as a child process in a folder of its own, ended and removed after the test. Judges nothing. */
import { startCli, type Child, type RunOptions } from './child.js';
import { createClient, type Client } from './client.js';
import { tempProject, type Files, type TempProject } from './project.js';

export interface Serving {
  readonly start: (files?: Files, options?: StartOptions) => Promise<Child>;
  /** In a folder that is there already. */
  readonly startIn: (folder: string, options?: Omit<RunOptions, 'cwd'>) => Child;
  readonly folder: (files?: Files) => Promise<TempProject>;
}

export type StartOptions = Omit<RunOptions, 'cwd'> & {
  /** Called before the start, for what is no text file. */
  readonly prepare?: (folder: string) => Promise<void>;
};

/** To be called where a suite is described. */
export function serving(): Serving {
  const projects: TempProject[] = [];
  const children: Child[] = [];
  afterEach(() => Promise.all(children.splice(0).map((child) => child.stop('SIGKILL'))));
  after(() => Promise.all(projects.map((project) => project.dispose())));

  async function folder(files: Files = {}): Promise<TempProject> {
    const project = await tempProject(files);
    projects.push(project);
    return project;
  }
  function startIn(cwd: string, options: Omit<RunOptions, 'cwd'> = {}): Child {
    const child = startCli(['serve'], { ...options, env: { PORT: '0', ...options.env }, cwd });
    children.push(child);
    return child;
  }
  return {
    folder,
    startIn,
    start: async (files = {}, { prepare, ...options } = {}) => {
      const project = await folder(files);
      await prepare?.(project.folder);
      return startIn(project.folder, options);
    },
  };
}

export async function ready(child: Child): Promise<Client & { url: string }> {
  const [, url = ''] = await child.printed(/ready at (http:\S+)/);
  return { ...createClient(url), url };
}

/** The curl line that the start printed. */
export async function curlOf(child: Child): Promise<string> {
  const [, line = ''] = await child.printed(/try:\n +(curl .*)\n/);
  return line;
}
