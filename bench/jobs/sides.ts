/**
 * The two measured queues behind one interface: Lintel's through the handle of its plugin, and Agenda with its own
 * backend for the same server.
 */
import { Agenda, type AgendaBackend } from 'agenda';
import { MongoBackend } from '@agendajs/mongo-backend';
import { PostgresBackend } from '@agendajs/postgres-backend';
import { RedisBackend } from '@agendajs/redis-backend';
import { openQueue, createTestJob, type Address } from '../../test/support/queues.js';

export type SideName = 'agenda' | 'lintel';

/** Concurrent jobs, equal for both. */
export const concurrency = 10;

export interface QueueSide {
  /** The job is durable when this resolves. */
  add(id: string): Promise<void>;
  /** Runs jobs; `effect` is the work of a job. Resolves when `count` jobs have run and all are stored as done. */
  run(count: number, effect: (id: string) => void): Promise<void>;
  /** Counts stored jobs in any state. */
  countStored(): Promise<number>;
  close(): Promise<void>;
}

/** `delay`: seconds until a job may run. */
export const openSide = (name: SideName, address: Address, delay = 0): Promise<QueueSide> =>
  name === 'lintel' ? openOurs(address, delay) : openAgenda(address);

async function openOurs(address: Address, delay: number): Promise<QueueSide> {
  const options = { ...address.options, concurrency };
  const { queue, close } = await openQueue({ ...address, options });
  return {
    add: (id) => queue.add([createTestJob({ id, text: TEXT }, { id, delay })]),
    async run(count, effect) {
      await new Promise<void>((resolve, reject) => {
        let done = 0;
        queue
          .startWorker(async ({ id }) => {
            effect(id);
            if (++done === count) resolve();
            return { done: true };
          })
          .catch(reject);
      });
      await queue.drain();
    },
    countStored: async () => (await queue.list({ limit: 10_000_000 })).length,
    close,
  };
}

/** The data of a job besides its id, equal for both. */
const TEXT = 'x'.repeat(64);
const NAME = 'job';

export function createAgendaBackend({ plugin, options }: Address): AgendaBackend {
  const url = String(options['url']);
  if (plugin === 'postgres') return new PostgresBackend({ connectionString: url });
  if (plugin === 'redis') return new RedisBackend({ connectionString: url });
  return new MongoBackend({ address: url });
}

async function openAgenda(address: Address): Promise<QueueSide> {
  const backend = createAgendaBackend(address);
  let started = false;
  const agenda = new Agenda({
    backend,
    processEvery: 100,
    maxConcurrency: concurrency,
    defaultConcurrency: concurrency,
    removeOnComplete: true,
  });
  let runEffect: (id: string) => void = () => undefined;
  agenda.define<{ id: string }>(NAME, async (job) => runEffect(job.attrs.data.id));
  await agenda.ready;
  const countStored = async (): Promise<number> => (await agenda.queryJobs({ limit: 1 })).total;
  return {
    add: async (id) => void (await agenda.now(NAME, { id, text: TEXT })),
    async run(count, effect) {
      runEffect = effect;
      started = true;
      await new Promise<void>((resolve, reject) => {
        let done = 0;
        agenda.on('complete', () => {
          if (++done === count) resolve();
        });
        agenda.start().catch(reject);
      });
      // The event precedes the removal of the job, for which there is no event.
      while ((await countStored()) > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    },
    countStored,
    async close() {
      // `stop` of an Agenda that was never started does not disconnect.
      await (started ? agenda.stop(true) : backend.disconnect());
    },
  };
}
