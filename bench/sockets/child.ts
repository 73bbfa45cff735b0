/**
 * The clients of the measurements, in a separate process: it opens connections, reads commands from standard input, one
 * line of JSON each, and responds with one line. It measures times as clients see them, and counts frames.
 */
import { createInterface } from 'node:readline';
import { connectHttp, connectSocket, encodeFrame, createHttpRequest, type RawConnection } from './raw-connection.js';

export type SocketCommand =
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
  /** Of every frame, from the request. */
  readonly each: readonly number[];
  /** Of the last frame of each announcement. */
  readonly last: readonly number[];
}

/** Connections that are opened concurrently. */
const TOGETHER = 100;
const PATIENCE = 20_000;

let wires: RawConnection[] = [];

const formatAuthorization = (authorization: string | undefined): string =>
  authorization === undefined ? '' : `authorization: ${authorization}\r\n`;

async function open({ port, count, authorization }: Extract<SocketCommand, { do: 'open' }>): Promise<number> {
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

/** Sequential announcements: each must reach every connection once. */
async function measureAnnouncements({
  port,
  times,
}: Extract<SocketCommand, { do: 'announce' }>): Promise<AnnouncementTimes> {
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

/** As many as possible; every connection has one open request. */
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

function executeCommand(command: SocketCommand): unknown {
  switch (command.do) {
    case 'open':
      return open(command);
    case 'pings':
      return wires.map((wire) => wire.pings());
    case 'announce':
      return measureAnnouncements(command);
    case 'ask':
      return measureAnswers(command);
    case 'end':
      return endAll();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await executeCommand(JSON.parse(line) as SocketCommand)));
}
