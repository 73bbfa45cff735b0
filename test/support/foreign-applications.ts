/**
 * Applications of other teams for the earlier system, with its environment formats, served in its profile: each
 * endpoint responds as its client, a page of another origin, expects. Only mistakes of the authors are corrected.
 */
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { CORRECTIONS } from '../foreign-applications/corrections.js';
import { createClinicEndpoints, ORIGINS as CLINIC } from '../foreign-applications/clinic/client.js';
import { createMarketplaceEndpoints, ORIGINS as MARKET } from '../foreign-applications/marketplace/client.js';
import { ORIGINS as CIRCLE, createSavingsCircleEndpoints } from '../foreign-applications/savings-circle/client.js';
import { ORIGINS as DESK, createSupportDeskEndpoints } from '../foreign-applications/support-desk/client.js';
import { startKernel, type DatabaseKind, type TestKernel } from './kernel.js';
import { createPage, type Endpoint } from './other-origin.js';
import { ROOT } from './project.js';
import { skipTest } from './skip.js';
import { startUpstream, type Upstream } from './upstream.js';

export interface Application {
  readonly name: string;
  readonly origins: readonly string[];
  readonly endpoints: (asked: () => readonly string[]) => readonly Endpoint[];
  readonly socket: string;
  /** Variables in another format than the product's, and their interpretation. */
  readonly taken: Readonly<Record<string, string>>;
  /** The variable that names the other service, which runs on this machine here. */
  readonly service?: string;
}

export const APPLICATIONS: readonly Application[] = [
  {
    name: 'marketplace',
    origins: MARKET,
    endpoints: createMarketplaceEndpoints,
    socket: '/ws',
    service: 'PAYMENT_URL',
    taken: {
      ALLOWED_HTTP_METHODS: 'POST|GET',
      STATUS_ENDPOINT: '/health',
      ALLOWED_ORIGINS: 'https://shop.kasuwa.example|https://admin.kasuwa.example|http://localhost:5173',
    },
  },
  {
    name: 'clinic',
    origins: CLINIC,
    endpoints: createClinicEndpoints,
    socket: '/ws',
    taken: {
      WEBSOCKET_ENDPOINT: '/ws',
      ALLOWED_HTTP_METHODS: 'POST',
      ALLOWED_ORIGINS: 'https://portal.clinic.example',
    },
  },
  {
    name: 'savings-circle',
    origins: CIRCLE,
    endpoints: createSavingsCircleEndpoints,
    socket: '/live',
    service: 'SMS_URL',
    taken: {
      ALLOW_WEBSOCKET_CONNECTIONS: 'true',
      WEBSOCKET_ENDPOINT: '/live',
      FORCE_WEBSOCKET_WITH_UID: 'false',
      ALLOWED_HTTP_METHODS: 'POST|GET',
      STATUS_ENDPOINT: '/healthz',
      ALLOWED_ORIGINS: 'https://ajo.example|https://app.ajo.example',
    },
  },
  {
    name: 'support-desk',
    origins: DESK,
    endpoints: createSupportDeskEndpoints,
    socket: '/socket',
    taken: {
      WEBSOCKET_ENDPOINT: '/socket',
      FORCE_WEBSOCKET_WITH_UID: 'true',
      ALLOWED_HTTP_METHODS: 'POST|PUT',
      STATUS_ENDPOINT: '/status',
      ALLOWED_ORIGINS: 'https://app.desk.example|https://help.desk.example|http://localhost:3000',
    },
  },
];

/** Where the applications keep their definitions. */
const FOLDERS = ['models', 'apis', 'resources'];
const resolveFolder = (name: string): string => join(ROOT, 'test', 'foreign-applications', name);

export const listDefinitions = (name: string): string[] =>
  FOLDERS.filter((folder) => existsSync(join(resolveFolder(name), folder))).map((folder) => `${folder}/**`);

/** As its authors wrote it. */
export const copyApplication = (name: string, folder: string): Promise<void> =>
  cp(resolveFolder(name), folder, { recursive: true, filter: (path) => !/client\.ts$|\.env$/.test(path) });

export const readEnvironment = async (name: string): Promise<Record<string, string>> =>
  parseEnv(await readFile(join(resolveFolder(name), 'production.env'), 'utf8')) as Record<string, string>;

async function correctMistakes(name: string, folder: string): Promise<void> {
  for (const { application, file, changes } of CORRECTIONS) {
    if (application !== name) continue;
    let text = await readFile(join(folder, file), 'utf8');
    for (const [from, to] of changes) {
      if (!text.includes(from)) throw new Error(`${file} of ${name} does not contain ${from}`);
      text = text.replace(from, () => to);
    }
    await writeFile(join(folder, file), text);
  }
}

/** The response of a payment service: the payment URL, and the given reference. */
const startService = (): Promise<Upstream> =>
  startUpstream((_req, res, { body }) => {
    const { reference = null } = JSON.parse(body) as { reference?: string };
    const data = { authorization_url: 'https://pay.example/x', reference };
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status: true, data }));
  });

export function describeApplication(
  { name, origins, endpoints, socket, service, taken }: Application,
  sort: DatabaseKind,
): void {
  describe(name, () => {
    let kernel: TestKernel;
    let upstream: Upstream;
    before(async function () {
      const database = await sort.make();
      if ('skip' in database) return skipTest(this, database.skip);
      upstream = await startService();
      const written = await readEnvironment(name);
      kernel = await startKernel({
        config: {
          profile: 'sub0',
          on_problem: 'refuse',
          connections: database.connections,
          definitions: listDefinitions(name),
          outbound: { allow: [`127.0.0.1:${upstream.port}`] },
        },
        // The port of the application may be in use, by the other suite with it as well.
        env: { ...written, ...database.env, PORT: '0', ...(service && { [service]: upstream.url }) },
        async prepare(folder) {
          await copyApplication(name, folder);
          await correctMistakes(name, folder);
        },
      });
    });
    after(async () => {
      await (kernel as TestKernel | undefined)?.close();
      await (upstream as Upstream | undefined)?.close();
    });

    it('reports the type of each variable, in one line', () => {
      const lines = kernel.log.filter(({ fields }) => 'variable' in fields);
      const rows = lines.map(({ fields: { variable, as } }) => [variable, as]);
      expect(rows).to.deep.equal(Object.entries(taken));
    });

    const list = endpoints(() => upstream.requests.map(({ body }) => body));
    for (const [at, [endpoint, expects]] of list.entries()) {
      it(endpoint, () => expects(createPage(kernel.url, origins[at % origins.length] ?? '', socket)));
    }
  });
}
