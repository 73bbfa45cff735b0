/** The console of a kernel: its page, its calls, and the events that the page follows. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecorder, type RecordMask, type Recorder, type RecordingSummary } from '../../contract/console.js';
import { createFault } from '../../contract/fault.js';
import type { PlanObserver } from '../../contract/resource-plan.js';
import type { Route, RouteReply, RouteRequest } from '../../contract/route.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { findPackageFolder } from '../../language/project/package-folder.js';
import { createSecretMask, MASKED } from '../debug/secrets.js';
import { createToken } from '../loopback-address.js';
import { createAccess } from './access.js';
import { createConsoleCalls, formatSummary, type ConsoleCall } from './calls.js';

export const CONSOLE_PATH = '/console';
/** Below the folder of the package. */
const PAGE_FOLDER = `.${CONSOLE_PATH}`;

export interface Console {
  readonly routes: readonly Route[];
  /** Absolute path and token of the page, for the start message. */
  readonly address: string;
  /** Ends the streams of events, which the shutdown would wait for. */
  close(): void;
}

/** Scripts, styles and calls of this server only, and nothing inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SAFE = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};

/** A fixed list, so no part of a request becomes a path. */
const ASSETS: Readonly<Record<string, string>> = {
  'app.js': 'text/javascript',
  'dom.js': 'text/javascript',
  'requests.js': 'text/javascript',
  'panes.js': 'text/javascript',
  'data.js': 'text/javascript',
  'definitions.js': 'text/javascript',
  'style.css': 'text/css',
  'icon.svg': 'image/svg+xml',
};

/** Milliseconds. Connections without progress are closed after `http.timeouts.idle`. */
const BEAT = 2000;
/** Events that wait for a slow page; older ones are left out. */
const MOST_WAITING = 200;

/** Null where the console is off or `lintel serve` has no token. `isDev`: only for this machine. */
export async function openConsole(
  kernel: Kernel,
  isDev: boolean,
  observe: (observer: PlanObserver) => Promise<void>,
): Promise<Console | null> {
  const recorder = kernel.instances.map((one) => one.handle()).find(isRecorder);
  if (recorder === undefined) return null;
  const token = isDev ? createToken() : recorder.token;
  if (token === null) {
    kernel.log.warn({ config: 'observers.console.token' }, 'the console is not served: it has no token');
    return null;
  }
  recorder.begin(createMaskReader(kernel));
  await observe(recorder.observer);
  const access = createAccess(token, isDev);
  const streams = createStreams(recorder);
  const calls = createConsoleCalls(kernel, recorder, isDev);
  const folder = join(findPackageFolder(import.meta.url), PAGE_FOLDER);
  const readAsset = (name: string): Promise<Buffer> => readFile(join(folder, name));

  async function showPage(request: RouteRequest): Promise<RouteReply> {
    access.checkOrigin(request);
    const sent = new URLSearchParams(request.query).get('key');
    const begun = sent === null ? null : access.beginSession(request, sent, CONSOLE_PATH);
    return begun ?? createReply('text/html', await readAsset('index.html'));
  }

  async function answerCall(request: RouteRequest, call: ConsoleCall): Promise<RouteReply> {
    const { status = 200, body } = await call(new URLSearchParams(request.query), request);
    return createReply('application/json', JSON.stringify(body), status);
  }

  async function answerRequest(request: RouteRequest): Promise<RouteReply> {
    const { rest, method } = request;
    const type = Object.hasOwn(ASSETS, rest) ? ASSETS[rest] : undefined;
    // The files of the page hold nothing of the project.
    if (type !== undefined && method !== 'POST') {
      access.checkOrigin(request);
      return createReply(type, await readAsset(rest));
    }
    if (rest === 'session' && method === 'POST') {
      access.checkOrigin(request);
      const [sent = ''] = request.header('authorization');
      const begun = access.beginSession(request, sent.replace(/^bearer +/i, ''), null);
      if (begun === null) throw createFault('OBS_CONSOLE', {}, { headers: { 'www-authenticate': 'Bearer' } });
      return begun;
    }
    access.admitRequest(request);
    if (rest === 'events' && method !== 'POST')
      return { status: 200, headers: { ...SAFE, ...EVENTS }, body: streams.open() };
    const call = calls.find(method, rest);
    if (call === null) throw createFault('REQ_NOT_FOUND');
    return answerCall(request, call);
  }

  return {
    routes: [
      { path: CONSOLE_PATH, methods: ['GET'], handle: showPage },
      { path: `${CONSOLE_PATH}/`, methods: ['GET', 'POST'], handle: answerRequest },
    ],
    address: isDev ? `${CONSOLE_PATH}?key=${token}` : CONSOLE_PATH,
    close: () => streams.close(),
  };
}

const EVENTS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' };

const createReply = (type: string, body: RouteReply['body'], status = 200): RouteReply => ({
  status,
  headers: { ...SAFE, 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' },
  body,
});

/** Streams of events for open pages. */
function createStreams(recorder: Recorder) {
  const ends = new Set<() => void>();
  let isClosed = false;

  async function* streamRecordings(): AsyncGenerator<Uint8Array> {
    const waiting: RecordingSummary[] = [];
    let wake: (() => void) | null = null;
    let isOver = isClosed;
    const endStream = (): void => {
      isOver = true;
      wake?.();
    };
    const unsubscribe = recorder.subscribe((recording) => {
      if (waiting.push(recording) > MOST_WAITING) waiting.shift();
      wake?.();
    });
    ends.add(endStream);
    try {
      yield Buffer.from('retry: 1000\n\n');
      while (!isOver) {
        const some = waiting.splice(0).map((one) => JSON.stringify(formatSummary(one)));
        yield Buffer.from(some.length === 0 ? ': \n\n' : `data: [${some.join(',')}]\n\n`);
        if (waiting.length === 0 && !isOver)
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, BEAT);
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
      }
    } finally {
      unsubscribe();
      ends.delete(endStream);
    }
  }

  return {
    open: () => streamRecordings(),
    close() {
      isClosed = true;
      for (const end of ends) end();
    },
  };
}

/** A shorter text holds no secret of the environment, and no stored hash. */
const SHORT_TEXT = 4;
/** Names come from requests, too. */
const MOST_NAMES = 5000;

/** The mask of the served definitions. Names are looked up once. */
function createMaskReader(kernel: Kernel): () => RecordMask {
  let known: { readonly of: unknown; readonly mask: RecordMask } | null = null;
  return () => {
    const of = kernel.analysis();
    if (known?.of !== of) known = { of, mask: createRecordMask(kernel) };
    return known.mask;
  };
}

function createRecordMask(kernel: Kernel): RecordMask {
  const { isSecret, maskText } = createSecretMask(kernel);
  const names = new Map<string, boolean>();
  return {
    masked: MASKED,
    isSecret(name) {
      const found = names.get(name);
      if (found !== undefined) return found;
      if (names.size >= MOST_NAMES) names.clear();
      const answer = isSecret(name);
      names.set(name, answer);
      return answer;
    },
    maskText: (text, more) => (text.length < SHORT_TEXT ? text : maskText(text, more)),
  };
}

/** Lets an observer that always observes stand next to one that comes and goes: the debugger. */
export function shareObservers(kernel: Kernel): {
  readonly kernel: Kernel;
  readonly observeAlways: (observer: PlanObserver) => Promise<void>;
} {
  let constant: PlanObserver | null = null;
  let guest: PlanObserver | null = null;
  const apply = (): Promise<void> => {
    const [inner, outer] = [constant, guest];
    if (inner === null || outer === null) return kernel.observePlans(outer ?? inner);
    return kernel.observePlans({
      observeAction: (action, resource) => outer.observeAction(inner.observeAction(action, resource), resource),
      observeResource: (plan) => outer.observeResource(inner.observeResource(plan)),
    });
  };
  return {
    kernel: {
      ...kernel,
      observePlans(observer) {
        guest = observer;
        return apply();
      },
    },
    observeAlways(observer) {
      constant = observer;
      return apply();
    },
  };
}
