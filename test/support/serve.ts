/** `lintel serve` in a folder of its own, ended and removed after the test. Judges nothing. */
import { startCli, type Child, type SpawnOptions } from './child.js';
import { hostCli, type RunOptions, type Running } from './cli.js';
import { createClient, type Client } from './client.js';
import { tempProject, type Files, type TempProject } from './project.js';

type Placeless<Options> = Omit<Options, 'cwd'>;

export interface Serving<Served extends Running, Options> {
  readonly start: (files?: Files, options?: Options & Preparing) => Promise<Served>;
  /** In a folder that is there already. */
  readonly startIn: (folder: string, options?: Options) => Served;
  readonly folder: (files?: Files) => Promise<TempProject>;
}

interface Preparing {
  /** Called before the start, for what is no text file. */
  readonly prepare?: (folder: string) => Promise<void>;
}

/** Child processes. To be called where a suite is described, as is `hosting`. */
export const serving = (): Serving<Child, Placeless<SpawnOptions>> =>
  servingBy(
    (cwd, options) => startCli(['serve'], { ...options, env: { PORT: '0', ...options.env }, cwd }),
    (child) => child.stop('SIGKILL'),
  );

/** In this process. */
export const hosting = (): Serving<Running, Placeless<RunOptions>> =>
  servingBy(
    (cwd, options) => hostCli(['serve'], { env: { PORT: '0', ...options.env }, cwd }),
    (running) => running.stop(),
  );

function servingBy<Served extends Running, Options extends object>(
  begin: (folder: string, options: Options) => Served,
  end: (served: Served) => Promise<unknown>,
): Serving<Served, Options> {
  const projects: TempProject[] = [];
  const served: Served[] = [];
  afterEach(() => Promise.all(served.splice(0).map(end)));
  after(() => Promise.all(projects.map((project) => project.dispose())));

  async function folder(files: Files = {}): Promise<TempProject> {
    const project = await tempProject(files);
    projects.push(project);
    return project;
  }
  function startIn(cwd: string, options = {} as Options): Served {
    const one = begin(cwd, options);
    served.push(one);
    return one;
  }
  return {
    folder,
    startIn,
    async start(files = {}, options = {} as Options & Preparing) {
      const project = await folder(files);
      await options.prepare?.(project.folder);
      return startIn(project.folder, options);
    },
  };
}

export async function ready(running: Running): Promise<Client & { url: string }> {
  const [, url = ''] = await running.printed(/ready at (http:\S+)/);
  return { ...createClient(url), url };
}

/** The curl line that the start printed. */
export async function curlOf(running: Running): Promise<string> {
  const [, line = ''] = await running.printed(/try:\n +(curl .*)\n/);
  return line;
}
