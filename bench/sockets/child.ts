/**
 * The clients of the measurements with connections, in a process of their own: opens them, waits for orders on its standard
 * input, one line of JSON each, and answers each with one line. It measures times that clients see, and counts what came.
 */
import { createInterface } from 'node:readline';
import { connectHttp, connectSocket, encodeFrame, createHttpRequest, type RawConnection } from './raw-connection.js';

export type SocketOrders =
  | { readonly do: 'open'; readonly port: number; readonly count: number; readonly authorization?: string }
  | { readonly do: 'pings' }
  | { readonly do: 'announce'; readonly port: number; readonly times: number }
  | ({ readonly do: 'ask' } & QuestionOptions)
  | { readonly do: 'end' };

export interface QuestionOptions {
  readonly port: number;
  readonly over: 'socket' | 'http';
  readonly connections: number;
  readonly resource: string;
  readonly authorization?: string;
  readonly milliseconds: number;
}

/** Milliseconds. */
export interface AnnouncementTimes {
  /** Of every frame, since the request was sent. */
  readonly each: readonly number[];
  /** Of the last frame of each announcement. */
  readonly last: readonly number[];
}

/** Being opened at the same time. */
const TOGETHER = 100;
const PATIENCE = 20_000;

let wires: RawConnection[] = [];

const formatAuthorization = (authorization: string | undefined): string =>
  authorization === undefined ? '' : `authorization: ${authorization}\r\n`;

async function open({ port, count, authorization }: Extract<SocketOrders, { do: 'open' }>): Promise<number> {
  while (wires.length < count) {
    const some = Math.min(TOGETHER, count - wires.length);
    wires.push(
      ...(await Promise.all(
        Array.from({ length: some }, () => connectSocket(port, formatAuthorization(authorization))),
      )),
    );
  }
  for (const wire of wires)
    void wire.closed.then((why) => wires.includes(wire) && fail(`a connection was lost: ${why}`));
  return wires.length;
}

async function endAll(): Promise<number> {
  const gone = wires;
  wires = [];
  for (const wire of gone) wire.end();
  await Promise.all(gone.map(({ closed }) => closed));
  return gone.length;
}

/** One announcement after the other: each must reach every connection once. */
async function measureAnnouncements({
  port,
  times,
}: Extract<SocketOrders, { do: 'announce' }>): Promise<AnnouncementTimes> {
  const http = await connectHttp(port);
  const [each, last]: [number[], number[]] = [[], []];
  for (let n = 1; n <= times; n++) {
    const seen = new Set<RawConnection>();
    await withTimeout(`announcement ${n}`, (resolve) => {
      const begun = performance.now();
      for (const wire of wires) {
        wire.onMessage = (content) => {
          const after = performance.now() - begun;
          if (!content.includes(`"number":${n},`)) fail(`announcement ${n} came as ${content.toString('utf8')}`);
          if (seen.has(wire)) fail(`announcement ${n} came twice`);
          seen.add(wire);
          each.push(after);
          if (seen.size < wires.length) return;
          last.push(after);
          resolve();
        };
      }
      http.write(createHttpRequest(port, '/announce', JSON.stringify({ number: n, text: 'the score has changed' })));
    });
  }
  http.end();
  return { each, last };
}

/** As often as it goes; every connection has one question open. */
async function measureAnswers(
  asking: QuestionOptions,
): Promise<{ readonly answers: number; readonly seconds: number }> {
  const { port, over, connections, resource, authorization, milliseconds } = asking;
  const line = formatAuthorization(authorization);
  const question =
    over === 'http'
      ? createHttpRequest(port, `/${resource}`, '{}', line)
      : encodeFrame(JSON.stringify({ resource, action: 'ask', request_id: '1', payload: {} }));
  const wanted = over === 'http' ? '{"' : '"data":{"';
  const opening = Array.from({ length: connections }, () =>
    over === 'http' ? connectHttp(port) : connectSocket(port, line),
  );
  const asked = await Promise.all(opening);
  let [answers, isOver] = [0, false];
  const begun = performance.now();
  setTimeout(() => (isOver = true), milliseconds);
  await withTimeout('the last answer', (resolve) => {
    let open = asked.length;
    for (const wire of asked) {
      void wire.closed.then((why) => isOver || fail(`a connection was lost: ${why}`));
      wire.onMessage = (content) => {
        if (!content.includes(wanted)) fail(`the answer was ${content.toString('utf8')}`);
        answers += 1;
        if (!isOver) wire.write(question);
        else if (--open === 0) resolve();
      };
      wire.write(question);
    }
  });
  const seconds = (performance.now() - begun) / 1000;
  for (const wire of asked) wire.end();
  return { answers, seconds };
}

async function withTimeout(what: string, work: (resolve: () => void) => void): Promise<void> {
  const late = setTimeout(() => fail(`${what} did not come`), PATIENCE);
  await new Promise<void>(work);
  clearTimeout(late);
}

function fail(why: string): void {
  console.error(why);
  process.exit(1);
}

function executeOrders(orders: SocketOrders): unknown {
  switch (orders.do) {
    case 'open':
      return open(orders);
    case 'pings':
      return wires.map((wire) => wire.pings());
    case 'announce':
      return measureAnnouncements(orders);
    case 'ask':
      return measureAnswers(orders);
    case 'end':
      return endAll();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await executeOrders(JSON.parse(line) as SocketOrders)));
}
