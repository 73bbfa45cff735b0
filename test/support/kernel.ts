/**
 * A kernel in this process, on a temporary project, listening on a free port: `lintel serve` without the command line.
 * Also the two databases of suites. `close` closes everything started here.
 */
import type { Registrar } from '../../contract/hooks.js';
import type { Route } from '../../contract/route.js';
import type { Log } from '../../contract/plugin.js';
import type { Problem } from '../../contract/problem.js';
import { describeKernel } from '../../cli/openapi.js';
import { listen, type RunningServer } from '../../kernel/http/server.js';
import { createKernel, type Kernel } from '../../kernel/runtime/kernel.js';
import { InvalidDefinitionsError } from '../../language/project/invalid-definitions.js';
import { loadProject } from '../../plugins/distribution.js';
import { createClient, type Client } from './client.js';
import { addOpenLog, type LogRow } from './open-logs.js';
import { createDocumentChecker, checkKnownCalls } from './openapi.js';
import { createPostgresDatabase, startPostgres } from './postgres.js';
import './pglite-pool.js';
import { createTempProject, type Files, type TempProject } from './project.js';
import { chooseDatabases } from './short-run.js';
import { skipTest } from './skip.js';

export type { LogRow } from './open-logs.js';

export interface TestKernelOptions {
  readonly files?: Files;
  /** A project that exists, with its config: no file of it is written, and it remains at the end. */
  readonly project?: TempProject;
  /** Fields of the config file; `http.port` is 0 unless set. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly onProblem?: 'refuse' | 'skip';
  /** Servers that are not there are waited for, as `lintel serve` does. */
  readonly wait?: boolean;
  /** As `lintel dev` starts it. */
  readonly dev?: boolean;
  /** The checker of statements before they are served; with `CHECK_ALL=1` a scratch store for all suites. */
  readonly statementChecks?: 'stores' | 'scratch';
  /** Compares every request and response with the OpenAPI document, if it contains the call. */
  readonly validated?: boolean;
  /** Routes in addition to those of resources and plugins. */
  readonly pages?: readonly Route[];
  /** Taps of the program around the kernel. */
  readonly register?: (hooks: Registrar) => void;
  /** Called before the kernel starts, for files that are not text. */
  readonly prepare?: (folder: string) => Promise<void>;
}

export interface TestKernel extends Client {
  readonly kernel: Kernel;
  readonly server: RunningServer;
  readonly url: string;
  readonly project: TempProject;
  readonly log: readonly LogRow[];
  close(): Promise<void>;
}

function createLogRecorder(): { log: Log; rows: LogRow[] } {
  const rows: LogRow[] = [];
  const write = (level: LogRow['level']) => (fields: object, message: string) => {
    rows.push({ level, message, fields: fields as LogRow['fields'] });
  };
  return { rows, log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') } };
}

export async function startKernel(options: TestKernelOptions = {}): Promise<TestKernel> {
  const { files = {}, config = {}, env = {}, onProblem, prepare, dev = false, pages = [], wait = false } = options;
  const isValidated = options.validated ?? process.env['VALIDATE_ALL'] === '1';
  const statementChecks = options.statementChecks ?? (process.env['CHECK_ALL'] === '1' ? 'scratch' : undefined);
  const project = options.project ? { ...options.project, dispose: async () => {} } : await createTempProject(files);
  const { log, rows } = createLogRecorder();
  let kernel: Kernel | undefined;
  try {
    const http = { port: 0, ...(config['http'] as object | undefined) };
    if (!options.project) await project.write('lintel.config.json', { ...config, http });
    await prepare?.(project.folder);
    const loaded = await loadProject(project.folder, undefined, env, dev);
    const { register } = options;
    kernel = await createKernel({
      project: loaded,
      log,
      onProblem,
      wait,
      register,
      ...(statementChecks && { statementChecks }),
    });
    await kernel.ready();
    const server = await listen(kernel, pages);
    const client = createClient(server.url);
    return {
      ...(isValidated ? checkKnownCalls(client, createDocumentChecker(await describeKernel(kernel))) : client),
      kernel,
      server,
      url: server.url,
      project,
      log: rows,
      close: createCloser(kernel, server, project, addOpenLog(rows)),
    };
  } catch (error) {
    await kernel?.close('test failed to start');
    await project.dispose();
    if (error instanceof InvalidDefinitionsError)
      error.message += `\n${error.problems.map(describeProblem).join('\n')}`;
    throw error;
  }
}

const describeProblem = ({ severity, code, file, message }: Problem): string =>
  `${severity} ${code} in ${file}: ${message}`;

const createCloser =
  (kernel: Kernel, server: RunningServer, project: TempProject, removeLog: () => void) => async (): Promise<void> => {
    await server.stop(5);
    await kernel.close('test over');
    removeLog();
    await project.dispose();
  };

export interface TestDatabase {
  readonly connections: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
}

export interface DatabaseKind {
  readonly name: 'pglite' | 'postgres';
  /** A new, empty database, or the reason why there is none. */
  readonly make: () => Promise<TestDatabase | { readonly skip: string }>;
}

/** Both databases; suites describe themselves once for each. */
export const DATABASES: readonly DatabaseKind[] = [
  {
    name: 'pglite',
    make: () => Promise.resolve({ connections: { main: { use: 'pglite', path: 'memory://' } }, env: {} }),
  },
  {
    name: 'postgres',
    async make() {
      const server = await startPostgres();
      if ('skip' in server) return server;
      // A busy machine may take longer than the default until a connection is free.
      const connections = { main: { use: 'postgres', url: '$ENV.DATABASE_URL', pool_wait: 20 } };
      return { connections, env: { DATABASE_URL: await createPostgresDatabase() } };
    },
  },
];

/** Those for which a run repeats its suites. */
export const listSuiteDatabases = (): readonly DatabaseKind[] => chooseDatabases(DATABASES, ({ name }) => name);

interface SuiteOptions extends TestKernelOptions {
  readonly configIn?: (database: DatabaseKind['name']) => object;
}

type Suite = (kernel: () => TestKernel, database: DatabaseKind['name']) => void;

/** One suite with a kernel that is started before and closed after it, on an embedded database. */
export function describeOnDatabase(title: string, options: SuiteOptions, suite: Suite): void {
  describe(title, () => describeOn(DATABASES[0]!, options, suite));
}

/** The suite once for each database: only for behaviour of databases, such as types, locks and errors. */
export function describeOnBothDatabases(title: string, options: SuiteOptions, suite: Suite): void {
  for (const database of listSuiteDatabases())
    describe(`${title} (${database.name})`, () => describeOn(database, options, suite));
}

/** On PostgreSQL alone: an embedded database has only one session. */
export function describeOnPostgres(title: string, options: SuiteOptions, suite: Suite): void {
  describe(title, () => describeOn(DATABASES[1]!, options, suite));
}

function describeOn({ name, make }: DatabaseKind, options: SuiteOptions, suite: Suite): void {
  let started: TestKernel | undefined;
  before(async function () {
    const database = await make();
    if ('skip' in database) return skipTest(this, database.skip);
    started = await startKernel({
      ...options,
      config: { ...options.config, ...options.configIn?.(name), connections: database.connections },
      env: { ...options.env, ...database.env },
    });
  });
  after(() => started?.close());
  suite(() => {
    if (started === undefined) throw new Error('the kernel is not running');
    return started;
  }, name);
}
