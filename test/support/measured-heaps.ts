/**
 * Measurements of memory, each in a thread of its own: a full collection of the heap of a test process, with all that
 * other files have loaded, takes seconds.
 */
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { setImmediate } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { readBytes } from '../../kernel/http/body.js';
import { createGarbageCollector } from '../../language-server/idle-gc.js';
import { createTextTrials } from '../../language-server/trial.js';
import { analyseFiles } from '../../language/analysis/analyse.js';
import { buildRegistry } from '../../language/analysis/build-registry.js';

const steps = createGarbageCollector();
const collect = (): void => steps.forEach((step) => step());

/** Bytes that are in use. */
function countHeldBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function tryText(trials: ReturnType<typeof createTextTrials>): WeakRef<object> {
  const registry = buildRegistry([], []);
  const names = Array.from({ length: 100 }, (_, n) => `${n}.json`);
  const files = names.map((file) => ({ file, text: '[]' }));
  const analysis = analyseFiles(files, registry, { env: null });
  const plugins = { registry, complete: true, problems: [], notes: new Map(), folders: [], content: '', meaning: '' };
  const source = { plugins: { ...plugins, schemas: new Map() }, files, analysis, options: { env: null } };
  trials.getTrials('one', '0.json', () => source).findNew('{}', []);
  return new WeakRef(analysis);
}

const measurements = {
  /** Bytes of the heap after a collection, above those before the garbage. */
  collectedGarbage(): number {
    const before = process.memoryUsage().heapUsed;
    if (Array.from({ length: 200_000 }, (_, i) => ({ i })).length !== 200_000) throw new Error('no garbage');
    collect();
    return process.memoryUsage().heapUsed - before;
  },

  /** Bytes of the heap that a collection returns where in each page some objects are still used. */
  returnedPages(): number {
    const all = Array.from({ length: 300_000 }, (_, i) => ({ i, list: [i] }));
    collect();
    const before = process.memoryUsage().heapTotal;
    const some = all.filter(({ i }) => i % 4 === 0);
    all.length = 0;
    collect();
    if (some.length !== 75_000) throw new Error('the objects are lost');
    return before - process.memoryUsage().heapTotal;
  },

  /** 1 if completion holds the analysis that was the last one when it first tried a text. */
  async heldAnalyses(): Promise<number> {
    const trials = createTextTrials();
    const analysis = tryText(trials);
    // A reference is held until the end of the turn that makes it.
    await setImmediate();
    collect();
    trials.discardTrials('one');
    return analysis.deref() === undefined ? 0 : 1;
  },

  /** Bytes held by a body of 200,000 bytes that arrives in chunks of one byte. */
  async chunkedBody(): Promise<number> {
    const [chunks, limit] = [200_000, 1_000_000];
    const body = new PassThrough();
    const req = Object.assign(body, { headers: { 'transfer-encoding': 'chunked' } }) as unknown as IncomingMessage;
    const reading = readBytes(req, limit);
    let next = 0;
    const send = (count: number): void => {
      // A copy for each, like chunks of a socket.
      while (count-- > 0) body.emit('data', Buffer.from([next++ % 256]));
    };
    send(1000);
    const before = countHeldBytes();
    send(chunks - 1000);
    const held = countHeldBytes() - before;
    body.end();
    const bytes = await reading;
    if (bytes.length !== chunks || !bytes.every((byte, index) => byte === index % 256)) throw new Error('other bytes');
    return held;
  },
};

type Measurement = keyof typeof measurements;

/** Runs the measurement in a new thread. */
export function measureInThread(name: Measurement): Promise<number> {
  const thread = new Worker(fileURLToPath(import.meta.url), { workerData: name });
  return new Promise((resolve, reject) => void thread.once('message', resolve).once('error', reject));
}

if (!isMainThread && Object.hasOwn(measurements, workerData as PropertyKey))
  parentPort?.postMessage(await measurements[workerData as Measurement]());
