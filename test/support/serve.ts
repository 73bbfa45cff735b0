/** `lintel serve` in a separate folder, stopped and removed after the test. Asserts nothing. */
import { startCli, type Child, type SpawnOptions } from './child.js';
import { hostCli, type RunOptions, type Running } from './cli.js';
import { createClient, type Client } from './client.js';
import { createTempProject, type Files, type TempProject } from './project.js';

type Placeless<Options> = Omit<Options, 'cwd'>;

export interface ServeHelper<Served extends Running, Options> {
  readonly start: (files?: Files, options?: Options & Preparing) => Promise<Served>;
  /** In an existing folder. */
  readonly startIn: (folder: string, options?: Options) => Served;
  readonly createFolder: (files?: Files) => Promise<TempProject>;
}

interface Preparing {
  /** Called before the start, for files that are not text. */
  readonly prepare?: (folder: string) => Promise<void>;
}

/** Child processes. To be called where a suite is described, as is `hosting`. */
export const serveAsChild = (): ServeHelper<Child, Placeless<SpawnOptions>> =>
  createServeHelper(
    (cwd, options) => startCli(['serve'], { ...options, env: { PORT: '0', ...options.env }, cwd }),
    (child) => child.stop('SIGKILL'),
  );

/** In this process. */
export const serveInProcess = (): ServeHelper<Running, Placeless<RunOptions>> =>
  createServeHelper(
    (cwd, options) => hostCli(['serve'], { env: { PORT: '0', ...options.env }, cwd }),
    (running) => running.stop(),
  );

function createServeHelper<Served extends Running, Options extends object>(
  begin: (folder: string, options: Options) => Served,
  end: (served: Served) => Promise<unknown>,
): ServeHelper<Served, Options> {
  const projects: TempProject[] = [];
  const served: Served[] = [];
  afterEach(() => Promise.all(served.splice(0).map(end)));
  after(() => Promise.all(projects.map((project) => project.dispose())));

  async function createFolder(files: Files = {}): Promise<TempProject> {
    const project = await createTempProject(files);
    projects.push(project);
    return project;
  }
  function startIn(cwd: string, options = {} as Options): Served {
    const one = begin(cwd, options);
    served.push(one);
    return one;
  }
  return {
    createFolder,
    startIn,
    async start(files = {}, options = {} as Options & Preparing) {
      const project = await createFolder(files);
      await options.prepare?.(project.folder);
      return startIn(project.folder, options);
    },
  };
}

export async function waitUntilReady(running: Running): Promise<Client & { url: string }> {
  const [, url = ''] = await running.waitForOutput(/ready at (http:\S+)/);
  return { ...createClient(url), url };
}

/** The curl line that the start printed. */
export async function waitForCurlLine(running: Running): Promise<string> {
  const [, line = ''] = await running.waitForOutput(/try:\n +(curl .*)\n/);
  return line;
}
