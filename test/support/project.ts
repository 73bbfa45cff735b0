/** Temporary project folders for tests, and the path of the repository. Files only; nothing is started here. */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function findRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

/** The folder of package.json. */
export const ROOT = findRoot();
export const PLUGIN_FIXTURES = join(ROOT, 'test', 'fixtures', 'plugins');

/** A file of the shared test vectors, or null if they are not next to the repository. */
export function vectorFile(name: string): string | null {
  const file = join(ROOT, '..', 'shared', 'vectors', name);
  return existsSync(file) ? file : null;
}

/** Text is unchanged; everything else is JSON. */
export type Files = Readonly<Record<string, unknown>>;

export interface TempProject {
  readonly folder: string;
  write(name: string, content: unknown): Promise<void>;
  remove(name: string): Promise<void>;
  dispose(): Promise<void>;
}

export async function createTempProject(files: Files = {}): Promise<TempProject> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'lintel-test-')));
  const write = async (name: string, content: unknown): Promise<void> => {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  };
  for (const [name, content] of Object.entries(files)) await write(name, content);
  return {
    folder,
    write,
    remove: (name) => rm(join(folder, name)),
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The sample definitions of the distribution, into `definitions/` of a project. */
export const copySample = (folder: string): Promise<void> =>
  cp(join(ROOT, 'definitions'), join(folder, 'definitions'), { recursive: true });

/** Settings of the sample for the cost of a hash, and the minimum of each. */
const COSTS: readonly (readonly [file: string, said: string, least: string])[] = [
  ['sign-up', '"rounds_cost": 10', '"rounds_cost": 4'],
  ...['sign-up', 'profile'].map(
    (file) =>
      [
        file,
        '{ "property": "pin", "algorithm": "ARGON2" }',
        '{ "property": "pin", "algorithm": "ARGON2", "options": { "memory_cost": 128, "time_cost": 1 } }',
      ] as const,
  ),
];

/** The sample with hashes of minimum cost: for suites with many sign-ups or signatures. */
export async function copyQuickSample(folder: string): Promise<void> {
  await copySample(folder);
  for (const [name, written, least] of COSTS) {
    const file = join(folder, 'definitions', 'resources', `${name}.resource.json`);
    const text = await readFile(file, 'utf8');
    if (!text.includes(written)) throw new Error(`${name} no longer says ${written}`);
    await writeFile(file, text.replace(written, least));
  }
}

/** Required by `.env.example`: `lintel env` would generate it. */
export const SAMPLE_ENV = {
  JWT_SECRET_KEY: 'w3Xp8Lq2Rt6Vz9Bn4Mk7Hs5Jd1Fg0CyQ8uE2aT6iO4xN9vK7',
  GUEST_KEY: 'Zr5Tq9Wm2Xc7Vb4Nk8Lp3Jh6Gf1Ds0Ay',
  PASSWORD_SALT: 'Pq7Ls2Mv9Bx4Nz6Kc1Rt8Wd3Hf5Jg0Ye',
  FIELD_KEY: 'Hy6Bn3Vc8Xz1Lk5Jh9Gf2Ds7Aq4Wp0Er',
  DOCUMENT_KEY: 'Ut3Yr8Ee5Ww1Qq9Mm4Nn7Bb2Vv6Cc0Xz',
  PAYMENT_SECRET: 'Kd8Sf3Ga6Hj1Lz9Xc4Vb7Nm2Qw5Er0TyUi4Op7As',
  RATES_TOKEN: 'Wc5Ev8Rb2Tn6Ym1Ul9Ik4Oj7Ph3Ag0SfDd6Fs9Gq',
  STAFF_TOKEN: 'Bm6Tq1Zc8Ls4Xw9Rj3Vh7Kd2Nf5Gp0YaUe6Oi1Ks',
  ALLOW_WEBSOCKET_CONNECTIONS: 'true',
  MAIL_URL: 'https://mail.provider.example/send',
  MAIL_KEY: 'Nt2Hv9Cq5Lw8Rx1Zb7Kf4Jd6Ms3Gp0TaYe5Ui2Oq',
  // A port without a server: suites that need the other service start one.
  OAUTH_AUTHORIZE_URL: 'https://login.provider.example/authorize',
  OAUTH_TOKEN_URL: 'https://login.provider.example/token',
  OAUTH_ACCOUNT_URL: 'https://api.provider.example/me',
  OAUTH_CLIENT_ID: 'client-4711',
  OAUTH_CLIENT_SECRET: 'Zx4Cv7Bn1Ma5Sd8Fg2Hj6Kl9Qw3Er0TyUp7Io4Lk',
};

/** A resource that returns a value of its definition. */
export const defineReturnResource = (id: string, value: unknown, rest: object = {}, more: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'RETURN', value, ...more }],
  ...rest,
});

/** A resource with one SQL statement. */
export const defineQueryResource = (
  id: string,
  query: string,
  parameters: readonly unknown[] = [],
  rest: object = {},
): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'QUERY', sql_query: { query, parameters }, ...rest }],
});
