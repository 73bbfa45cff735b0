/**
 * A process that works on a queue until it is killed. Each line of output is one event: `ready`, `begin ID ATTEMPT`,
 * `lost ID`, `end ID`. The job's payload is its action: `hang`, `die`, `block` the process for so many milliseconds, or
 * nothing. SIGTERM releases its jobs and closes the queue (`closed`); then nothing keeps the process alive.
 */
import { openQueue, type Address } from './queues.js';

const print = (...words: readonly (string | number)[]): void => void process.stdout.write(`${words.join(' ')}\n`);

interface Orders {
  readonly hang?: boolean;
  readonly die?: boolean;
  readonly block?: number;
}

const address = JSON.parse(process.argv[2] ?? '') as Address;
const opened = await openQueue(address);
const { queue } = opened;
process.once('SIGTERM', () => {
  void queue
    .releaseClaims()
    .then(() => opened.close())
    .then(() => print('closed'));
});
await queue.startWorker(async (work, attempt, signal) => {
  print('begin', work.id.replaceAll(' ', '-'), attempt);
  signal.addEventListener('abort', () => print('lost', work.id.replaceAll(' ', '-')));
  const orders = (work.state.payload ?? {}) as Orders;
  if (orders.die === true) process.kill(process.pid, 'SIGKILL');
  if (orders.hang === true) await new Promise(() => {});
  const end = Date.now() + (orders.block ?? 0);
  while (Date.now() < end);
  // A process that was blocked learns of it now.
  if (orders.block !== undefined) await new Promise<void>((resolve) => signal.addEventListener('abort', resolve));
  print('end', work.id.replaceAll(' ', '-'));
  return { done: true };
});
print('ready');
