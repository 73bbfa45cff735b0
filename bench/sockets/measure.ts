/**
 * `--sockets`: what an idle connection costs, how long a message takes to a thousand of them, and what a question costs over a
 * connection and over HTTP. Ours beside the hand-written service, in rounds that visit both in turn, each time a new process.
 */
import { readFileSync } from 'node:fs';
import { pinnableCores, residentMiB, treeCpuMicros } from '../proc.js';
import { median } from '../report.js';
import { rotated } from '../rounds.js';
import type { Server } from '../server.js';
import { signedToken } from '../tokens.js';
import type { Announced, Asking } from './child.js';
import { startClients, type Clients } from './clients.js';
import { contenders, type Contender } from './servers.js';

export interface SocketOptions {
  readonly rounds: number;
  readonly seconds: number;
  /** Idle connections; null: ten thousand. */
  readonly count: number | null;
}

const IDLE = 10_000;
const LISTENERS = 1000;
const ANNOUNCEMENTS = 40;
/** Seconds between pings to idle connections: often, so that the measurement is short. */
const PING = 2;
const RARELY = 3600;

/** Figures by what was measured and who. */
type Book = Map<string, Map<string, number[]>>;

function note(book: Book, row: string, who: string, value: number): void {
  const rows = book.get(row) ?? new Map<string, number[]>();
  book.set(row, rows.set(who, [...(rows.get(who) ?? []), value]));
}

export async function measureSockets(
  { rounds, seconds, count }: SocketOptions,
  say: (line: string) => void,
): Promise<number> {
  const idle = count ?? IDLE;
  const files = Number(/^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 0);
  // Node raises its own limit to the hard one.
  if (files < Math.max(idle, LISTENERS) + 200)
    throw new Error(`${idle} connections need as many open files and some more; the limit is ${files} (ulimit -Hn)`);
  const cores = pinnableCores();
  const all = await contenders(cores, say);
  say(`limit of open files: ${files}; ${idle} idle connections, pinged every ${PING} s; ${LISTENERS} listeners\n`);
  const book: Book = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const contender of rotated(all, round)) {
      const tell = (row: string, value: number): void => {
        note(book, row, contender.name, value);
        say(`round ${round + 1}  ${contender.name}  ${row}: ${value.toFixed(2)}`);
      };
      const visit = async (ping: number, work: (server: Server, clients: Clients) => Promise<void>): Promise<void> => {
        const server = await contender.start(ping);
        const clients = startClients(cores?.rest);
        await work(server, clients);
        await clients.stop();
        await server.stop();
      };
      await visit(RARELY, (server, clients) => announcements(server, clients, tell));
      if (contender.onlyAnnounces) continue;
      await visit(RARELY, (server, clients) => questions(server, clients, seconds, tell));
      await visit(PING, (server, clients) => idling(contender, server, clients, idle, tell));
    }
  }
  say(`\n${tableOf(book, all)}`);
  return 0;
}

type Tell = (row: string, value: number) => void;

const portOf = ({ url }: Server): number => Number(new URL(url).port);

async function announcements(server: Server, clients: Clients, tell: Tell): Promise<void> {
  const port = portOf(server);
  await clients.tell({ do: 'open', port, count: LISTENERS });
  await clients.tell({ do: 'announce', port, times: 20 });
  const before = treeCpuMicros(server.pid);
  const { each, last } = await clients.tell<Announced>({ do: 'announce', port, times: ANNOUNCEMENTS });
  const used = treeCpuMicros(server.pid) - before;
  if (each.length !== LISTENERS * ANNOUNCEMENTS) throw new Error(`${each.length} frames came`);
  const rank = (of: readonly number[], part: number): number =>
    [...of].sort((a, b) => a - b)[Math.ceil(of.length * part) - 1] ?? NaN;
  tell('message to 1,000: each frame, p50 ms', rank(each, 0.5));
  tell('message to 1,000: each frame, p99 ms', rank(each, 0.99));
  tell('message to 1,000: last frame, p50 ms', rank(last, 0.5));
  tell('message to 1,000: last frame, p99 ms', rank(last, 0.99));
  tell('message to 1,000: CPU µs/frame', used / each.length);
}

const ROWS = [
  ['static JSON', 'health'],
  ['JWT and one row', 'account-mine'],
] as const;

async function questions(server: Server, clients: Clients, seconds: number, tell: Tell): Promise<void> {
  const port = portOf(server);
  const token = `Bearer ${signedToken({ id: 7 })}`;
  for (const [title, resource] of ROWS) {
    const authorization = resource === 'account-mine' ? { authorization: token } : {};
    for (const connections of [1, 32]) {
      for (const over of ['http', 'socket'] as const) {
        const asking: Asking = { port, over, connections, resource, milliseconds: seconds * 1000, ...authorization };
        const ask = (milliseconds: number) =>
          clients.tell<{ answers: number; seconds: number }>({ do: 'ask', ...asking, milliseconds });
        await ask(1000);
        const before = treeCpuMicros(server.pid);
        const { answers, seconds: took } = await ask(seconds * 1000);
        const name = `${title}, ${over === 'http' ? 'HTTP' : 'WebSocket'}, ${connections}`;
        tell(`${name}: answers/s`, answers / took);
        tell(`${name}: CPU µs/answer`, (treeCpuMicros(server.pid) - before) / answers);
      }
    }
  }
}

async function idling(
  contender: Contender,
  server: Server,
  clients: Clients,
  count: number,
  tell: Tell,
): Promise<void> {
  const port = portOf(server);
  // What the first connections bring into memory is not what one more costs.
  await clients.tell({ do: 'open', port, count: 100 });
  await clients.tell({ do: 'end' });
  const before = residentMiB(server.pid);
  const begun = performance.now();
  await clients.tell({ do: 'open', port, count });
  tell(`${count} connections: opened per second`, count / ((performance.now() - begun) / 1000));
  const [used, from] = [treeCpuMicros(server.pid), performance.now()];
  await (contender.name === 'baseline' ? pause(3 * PING * 1000) : pinged(clients, 3));
  tell(`${count} connections: KiB each`, ((residentMiB(server.pid) - before) * 1024) / count);
  const share = (treeCpuMicros(server.pid) - used) / ((performance.now() - from) * 1000);
  tell(`${count} connections: idle, % of a core`, share * 100);
  await clients.tell({ do: 'end' });
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Every connection so often. */
async function pinged(clients: Clients, times: number): Promise<void> {
  const end = Date.now() + (times + 10) * PING * 1000;
  while (Math.min(...(await clients.tell<number[]>({ do: 'pings' }))) < times) {
    if (Date.now() > end) throw new Error('connections were not pinged in time');
    await pause(200);
  }
}

function tableOf(book: Book, all: readonly Contender[]): string {
  const lines = [
    `| what | ${all.map(({ name }) => name).join(' | ')} | lintel × baseline (min..max) |`,
    `| --- |${all.map(() => ' ---: |').join('')} ---: |`,
  ];
  for (const [row, by] of book) {
    const figures = all.map(({ name }) => by.get(name)).map((values) => (values ? shown(median(values)) : '-'));
    const [base = [], ours = []] = [by.get('baseline'), by.get('lintel')];
    const ratios = ours.map((value, round) => value / (base[round] ?? NaN));
    const [middle, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map((one) =>
      one.toFixed(2),
    );
    // Who does nothing at all is no measure.
    const ratio = base.every((value) => value > 0) ? `**${middle}** (${least}..${most})` : '-';
    lines.push(`| ${row} | ${figures.join(' | ')} | ${ratio} |`);
  }
  return lines.join('\n');
}

const shown = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : value.toFixed(value < 10 ? 2 : 1);
