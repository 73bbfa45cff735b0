/**
 * Applications as other teams write them for the earlier system, with its environment's forms, served unmodified under its
 * profile: each endpoint answers as its client, a page of another origin, expects.
 */
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { clinic, ORIGINS as CLINIC } from '../strangers/clinic/client.js';
import { marketplace, ORIGINS as MARKET } from '../strangers/marketplace/client.js';
import { ORIGINS as CIRCLE, savingsCircle } from '../strangers/savings-circle/client.js';
import { ORIGINS as DESK, supportDesk } from '../strangers/support-desk/client.js';
import { DATABASES, startKernel, type DatabaseSort, type TestKernel } from '../support/kernel.js';
import { pageOf, type Endpoint } from '../support/other-origin.js';
import { ROOT } from '../support/project.js';
import { skipTest } from '../support/skip.js';
import { startUpstream, type Upstream } from '../support/upstream.js';

interface Application {
  readonly name: string;
  readonly origins: readonly string[];
  readonly endpoints: (asked: () => readonly string[]) => readonly Endpoint[];
  readonly socket: string;
  /** The variable that names the other service, which runs on this machine here. */
  readonly service?: string;
}

const APPLICATIONS: readonly Application[] = [
  { name: 'marketplace', origins: MARKET, endpoints: marketplace, socket: '/ws', service: 'PAYMENT_URL' },
  { name: 'clinic', origins: CLINIC, endpoints: clinic, socket: '/ws' },
  { name: 'savings-circle', origins: CIRCLE, endpoints: savingsCircle, socket: '/live', service: 'SMS_URL' },
  { name: 'support-desk', origins: DESK, endpoints: supportDesk, socket: '/socket' },
];

const folderOf = (name: string): string => join(ROOT, 'test', 'strangers', name);

/** As a payment service answers: the address where the buyer pays, and the reference that it was given. */
const startService = (): Promise<Upstream> =>
  startUpstream((_req, res, { body }) => {
    const { reference = null } = JSON.parse(body) as { reference?: string };
    const data = { authorization_url: 'https://pay.example/x', reference };
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status: true, data }));
  });

function describeApplication({ name, origins, endpoints, socket, service }: Application, sort: DatabaseSort): void {
  describe(`${name} (${sort.name})`, () => {
    let kernel: TestKernel;
    let upstream: Upstream;
    before(async function () {
      const database = await sort.make();
      if ('skip' in database) return skipTest(this, database.skip);
      upstream = await startService();
      const written = parseEnv(await readFile(join(folderOf(name), 'production.env'), 'utf8')) as Record<
        string,
        string
      >;
      kernel = await startKernel({
        config: {
          profile: 'sub0',
          connections: database.connections,
          definitions: ['models/**', 'apis/**', 'resources/**'],
          outbound: { allow: [`127.0.0.1:${upstream.port}`] },
        },
        env: { ...written, ...database.env, ...(service && { [service]: upstream.url }) },
        prepare: (folder) =>
          cp(folderOf(name), folder, { recursive: true, filter: (path) => !/client\.ts$|\.env$/.test(path) }),
      });
    });
    after(async () => {
      await (kernel as TestKernel | undefined)?.close();
      await (upstream as Upstream | undefined)?.close();
    });

    const list = endpoints(() => upstream.asked.map(({ body }) => body));
    for (const [at, [endpoint, expects]] of list.entries()) {
      it(endpoint, () => expects(pageOf(kernel.url, origins[at % origins.length] ?? '', socket)));
    }
  });
}

describe('applications of others', () => {
  for (const sort of DATABASES) for (const application of APPLICATIONS) describeApplication(application, sort);
});
