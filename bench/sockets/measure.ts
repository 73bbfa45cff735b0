/**
 * `--sockets`: memory of idle connections, durations of a message to a thousand and to ten thousand of them, cost of a request over a connection and over HTTP. Rounds alternate between Lintel and the hand-written service, each time in a new process.
 */
import { readFileSync } from 'node:fs';
import { findPinnableCores, readResidentMiB, readTreeCpuMicros } from '../proc.js';
import { median } from '../report.js';
import { selectByName } from '../options.js';
import { rotateItems } from '../rounds.js';
import type { Server } from '../server.js';
import { signToken } from '../tokens.js';
import type { AnnouncementTimes, QuestionOptions } from './child.js';
import { startClients, type Clients } from './clients.js';
import { createContenders, type Contender } from './servers.js';

export interface SocketOptions {
  readonly rounds: number;
  readonly seconds: number;
  /** Number of idle connections; null: 10,000. */
  readonly count: number | null;
  /** Names in `PARTS`; null: all. */
  readonly rows: readonly string[] | null;
}

const PARTS = ['messages', 'answers', 'idle'] as const;

const IDLE = 10_000;
const LISTENERS = 1000;
const ANNOUNCEMENTS = 40;
/** Seconds between pings to idle connections; a short interval, so that the measurement is short. */
const PING = 2;
const RARELY = 3600;

/** Figures by measurement and server. */
type Book = Map<string, Map<string, number[]>>;

function addFigure(book: Book, row: string, server: string, value: number): void {
  const rows = book.get(row) ?? new Map<string, number[]>();
  book.set(row, rows.set(server, [...(rows.get(server) ?? []), value]));
}

export async function measureSockets(
  { rounds, seconds, count, rows }: SocketOptions,
  print: (line: string) => void,
): Promise<number> {
  const idle = count ?? IDLE;
  const files = Number(/^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 0);
  // Node raises its own limit to the hard limit.
  if (files < Math.max(idle, LISTENERS) + 200)
    throw new Error(`${idle} connections need as many open files and some more; the limit is ${files} (ulimit -Hn)`);
  const parts = selectByName(
    PARTS.map((name) => ({ name })),
    rows,
  ).map(({ name }) => name);
  const cores = findPinnableCores();
  const all = await createContenders(cores, print);
  print(`limit of open files: ${files}; ${idle} idle connections, pinged every ${PING} s; ${LISTENERS} listeners\n`);
  const book: Book = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const contender of rotateItems(all, round)) {
      const recordFigure = (row: string, value: number): void => {
        addFigure(book, row, contender.name, value);
        print(`round ${round + 1}  ${contender.name}  ${row}: ${value.toFixed(2)}`);
      };
      const visit = async (ping: number, work: (server: Server, clients: Clients) => Promise<void>): Promise<void> => {
        const server = await contender.start(ping);
        const clients = startClients(cores?.rest);
        await work(server, clients);
        await clients.stop();
        await server.stop();
      };
      if (parts.includes('messages'))
        await visit(RARELY, async (server, clients) => {
          await measureAnnouncements(server, clients, LISTENERS, ANNOUNCEMENTS, recordFigure);
          await measureAnnouncements(server, clients, idle, ANNOUNCEMENTS / 4, recordFigure);
        });
      if (contender.onlyAnnounces) continue;
      if (parts.includes('answers'))
        await visit(RARELY, (server, clients) => measureQuestions(server, clients, seconds, recordFigure));
      if (parts.includes('idle'))
        await visit(PING, (server, clients) => measureIdle(contender, server, clients, idle, recordFigure));
    }
  }
  print(`\n${formatTable(book, all)}`);
  return 0;
}

type RecordFigure = (row: string, value: number) => void;

const getPort = ({ url }: Server): number => Number(new URL(url).port);

const findPercentile = (of: readonly number[], part: number): number =>
  [...of].sort((a, b) => a - b)[Math.ceil(of.length * part) - 1] ?? NaN;

async function measureAnnouncements(
  server: Server,
  clients: Clients,
  listeners: number,
  times: number,
  tell: RecordFigure,
): Promise<void> {
  const port = getPort(server);
  await clients.sendCommand({ do: 'open', port, count: listeners });
  await clients.sendCommand({ do: 'announce', port, times: times / 2 });
  const before = readTreeCpuMicros(server.pid);
  const { each, last } = await clients.sendCommand<AnnouncementTimes>({ do: 'announce', port, times });
  const used = readTreeCpuMicros(server.pid) - before;
  if (each.length !== listeners * times) throw new Error(`${each.length} frames came`);
  const title = `message to ${listeners.toLocaleString('en')}`;
  tell(`${title}: each frame, p50 ms`, findPercentile(each, 0.5));
  tell(`${title}: each frame, p99 ms`, findPercentile(each, 0.99));
  tell(`${title}: last frame, p50 ms`, findPercentile(last, 0.5));
  tell(`${title}: last frame, p99 ms`, findPercentile(last, 0.99));
  tell(`${title}: CPU µs/frame`, used / each.length);
}

const ROWS = [
  ['static JSON', 'health'],
  ['JWT and one row', 'account-mine'],
] as const;

async function measureQuestions(server: Server, clients: Clients, seconds: number, tell: RecordFigure): Promise<void> {
  const port = getPort(server);
  const token = `Bearer ${signToken({ id: 7 })}`;
  for (const [title, resource] of ROWS) {
    const authorization = resource === 'account-mine' ? { authorization: token } : {};
    for (const connections of [1, 32]) {
      for (const over of ['http', 'socket'] as const) {
        const asking: QuestionOptions = {
          port,
          over,
          connections,
          resource,
          milliseconds: seconds * 1000,
          ...authorization,
        };
        const sendQuestions = (milliseconds: number) =>
          clients.sendCommand<{ answers: number; seconds: number }>({ do: 'ask', ...asking, milliseconds });
        await sendQuestions(1000);
        const before = readTreeCpuMicros(server.pid);
        const { answers, seconds: took } = await sendQuestions(seconds * 1000);
        const name = `${title}, ${over === 'http' ? 'HTTP' : 'WebSocket'}, ${connections}`;
        tell(`${name}: answers/s`, answers / took);
        tell(`${name}: CPU µs/answer`, (readTreeCpuMicros(server.pid) - before) / answers);
      }
    }
  }
}

async function measureIdle(
  contender: Contender,
  server: Server,
  clients: Clients,
  count: number,
  tell: RecordFigure,
): Promise<void> {
  const port = getPort(server);
  // The first connections load code, which is not a cost of each connection.
  await clients.sendCommand({ do: 'open', port, count: 100 });
  await clients.sendCommand({ do: 'end' });
  const before = readResidentMiB(server.pid);
  const begun = performance.now();
  await clients.sendCommand({ do: 'open', port, count });
  tell(`${count} connections: opened per second`, count / ((performance.now() - begun) / 1000));
  const [used, from] = [readTreeCpuMicros(server.pid), performance.now()];
  await (contender.name === 'baseline' ? pause(3 * PING * 1000) : waitForPings(clients, 3));
  tell(`${count} connections: KiB each`, ((readResidentMiB(server.pid) - before) * 1024) / count);
  const share = (readTreeCpuMicros(server.pid) - used) / ((performance.now() - from) * 1000);
  tell(`${count} connections: idle, % of a core`, share * 100);
  // Memory of ended connections would be added to that of the next ones.
  for (let n = 0; n < 2; n++) {
    await clients.sendCommand({ do: 'end' });
    await clients.sendCommand({ do: 'open', port, count });
  }
  tell(`${count} connections: KiB each, the third time`, ((readResidentMiB(server.pid) - before) * 1024) / count);
  await clients.sendCommand({ do: 'end' });
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Interval for each connection. */
async function waitForPings(clients: Clients, times: number): Promise<void> {
  const end = Date.now() + (times + 10) * PING * 1000;
  while (Math.min(...(await clients.sendCommand<number[]>({ do: 'pings' }))) < times) {
    if (Date.now() > end) throw new Error('connections were not pinged in time');
    await pause(200);
  }
}

function formatTable(book: Book, all: readonly Contender[]): string {
  const lines = [
    `| what | ${all.map(({ name }) => name).join(' | ')} | lintel × baseline (min..max) |`,
    `| --- |${all.map(() => ' ---: |').join('')} ---: |`,
  ];
  for (const [row, by] of book) {
    const figures = all.map(({ name }) => by.get(name)).map((values) => (values ? formatFigure(median(values)) : '-'));
    const [base = [], ours = []] = [by.get('baseline'), by.get('lintel')];
    const ratios = ours.map((value, round) => value / (base[round] ?? NaN));
    const [middle, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map((one) =>
      one.toFixed(2),
    );
    // A server that does nothing is no reference.
    const ratio = base.every((value) => value > 0) ? `**${middle}** (${least}..${most})` : '-';
    lines.push(`| ${row} | ${figures.join(' | ')} | ${ratio} |`);
  }
  return lines.join('\n');
}

const formatFigure = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : value.toFixed(value < 10 ? 2 : 1);
