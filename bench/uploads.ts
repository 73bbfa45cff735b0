/**
 * `--uploads`: uploads of 10 MB to Lintel and to the hand-written service. Responses are compared first; then rounds
 * measure both alternately, with a client in this process.
 */
import { randomFillSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPeakMiB, findPinnableCores, readTreeCpuMicros } from './proc.js';
import { startServer, type Server } from './server.js';
import { createLintelTarget, uploadBaseline } from './targets.js';

const SIZE = 10_000_000;
const ALONE = 5;
const TOGETHER = 8;

/** The signature, the header and the first bytes of the data of a PNG; the other data is random. */
const MARK = Buffer.from(
  '89504e470d0a1a0a0000000d49484452000000100000001008020000009091683600989600' + '49444154',
  'hex',
);
const createImage = (size: number): Buffer<ArrayBuffer> => {
  const made = randomFillSync(Buffer.alloc(size));
  made.set(MARK);
  return made;
};

const CONFIG = { definitions: ['definitions'], storage: { use: 'local-disk', path: 'files' } };
const uploads = { allowed_mimetypes: ['image/png'], upload_folder: 'gallery' };
const DEFINITIONS = [
  {
    id: 'upload',
    resource: 'upload',
    actionables: [{ id: 1, mode: 'UPLOAD', uploads, returnables: ['storage_key', 'file_size'] }],
  },
  { id: 'health', resource: 'health', actionables: [{ id: 1, mode: 'RETURN', value: { status: 'ok', version: 1 } }] },
];

async function createInstallation(folder: string): Promise<string> {
  const home = join(folder, 'uploads');
  await mkdir(join(home, 'definitions'), { recursive: true });
  await writeFile(join(home, 'definitions/all.json'), JSON.stringify(DEFINITIONS));
  await writeFile(join(home, 'lintel.config.json'), JSON.stringify(CONFIG));
  return join(home, 'lintel.config.json');
}

const createForm = (content: Buffer<ArrayBuffer>, type = 'image/png'): FormData => {
  const made = new FormData();
  made.append('file', new Blob([content], { type }), 'large.png');
  return made;
};

async function send({ url, name }: Server, body: FormData, wanted: number, size: number): Promise<void> {
  const response = await fetch(`${url}/upload`, { method: 'POST', body });
  const text = await response.text();
  if (response.status !== wanted) throw new Error(`${name} answered ${response.status}, not ${wanted}: ${text}`);
  if (wanted !== 200) return;
  const [entry] = JSON.parse(text) as { storage_key?: unknown; file_size?: unknown }[];
  const fits = /^gallery\/[0-9a-f-]{36}\.png$/.test(String(entry?.storage_key)) && entry?.file_size === size;
  if (!fits) throw new Error(`${name} answered ${text}`);
}

/** Checks valid and invalid requests before any load. */
async function verifyAnswers(server: Server): Promise<void> {
  await send(server, createForm(createImage(1000)), 200, 1000);
  await send(server, createForm(Buffer.from('no picture')), 415, 0);
  await send(server, createForm(createImage(1000), 'image/jpeg'), 415, 0);
  await send(server, new FormData(), 422, 0);
}

interface Figures {
  readonly alone: number[];
  readonly together: number[];
  readonly cpu: number[];
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

export async function measureUploads(folder: string, rounds: number, print: (line: string) => void): Promise<number> {
  const cores = findPinnableCores();
  const targets = [uploadBaseline, createLintelTarget('lintel', await createInstallation(folder))];
  const servers: Server[] = [];
  for (const target of targets) servers.push(await startServer(target, {}, cores?.server));
  for (const server of servers) await verifyAnswers(server);
  const figures = new Map(servers.map(({ name }): [string, Figures] => [name, { alone: [], together: [], cpu: [] }]));
  const content = createImage(SIZE);
  for (let round = 0; round <= rounds; round++) {
    // The order alternates between rounds; the first one is the warm-up.
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      const found = await visit(server, content);
      const kept = figures.get(server.name);
      if (round > 0) for (const key of ['alone', 'together', 'cpu'] as const) kept?.[key].push(found[key]);
    }
  }
  print('| | one upload of 10 MB | eight at once | CPU of one | memory: idle, peak |');
  print('| --- | --- | --- | --- | --- |');
  for (const { name, pid, idleMiB } of servers) {
    const { alone = [], together = [], cpu = [] } = figures.get(name) ?? {};
    const [one, eight, work] = [alone, together, cpu].map((values) => `${median(values).toFixed(1)} ms`);
    print(`| ${name} | ${one} | ${eight} | ${work} | ${idleMiB.toFixed(0)} MiB, ${readPeakMiB(pid).toFixed(0)} MiB |`);
  }
  return 0;
}

/** Milliseconds of one upload, of eight concurrent uploads, and of CPU time per upload. */
async function visit(server: Server, content: Buffer<ArrayBuffer>): Promise<Record<keyof Figures, number>> {
  const sendUpload = (): Promise<void> => send(server, createForm(content), 200, SIZE);
  const cpuBefore = readTreeCpuMicros(server.pid);
  const start = performance.now();
  for (let i = 0; i < ALONE; i++) await sendUpload();
  const between = performance.now();
  await Promise.all(Array.from({ length: TOGETHER }, sendUpload));
  const together = performance.now() - between;
  const cpu = (readTreeCpuMicros(server.pid) - cpuBefore) / 1000 / (ALONE + TOGETHER);
  return { alone: (between - start) / ALONE, together, cpu };
}
