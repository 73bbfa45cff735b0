/** The queue store on Redis, one script per operation. Keys share a hash tag, hence a slot of a cluster. */
import { randomUUID } from 'node:crypto';
import type { RedisBackendConfig } from '@agendajs/redis-backend';
import type { JobRepository } from 'agenda';
import type { JobFilter, JobView } from '../../../contract/deferred.js';
import type { Entry, JobLease, QueueStore } from '../shared/store.js';
import { createNotification, toJobData, NAME, type JobData } from '../shared/job.js';
import { dropIfSilent } from '../../shared/redis.js';
import type { Client } from './connection.js';
import type { Keys } from './scripts.js';

/** Limits how long a sweep blocks other commands. */
const MOST = 5000;
const PAGE = 500;
const MOST_LISTED = 1000;
/** The age of each job is a lookup, so only some are inspected. */
const LOOKED_AT = 100;

export interface RedisStore extends QueueStore {
  readonly channel: string;
  readonly notifyWorkers: () => Promise<void>;
  ping(): Promise<void>;
}

const toPairs = (held: readonly JobLease[]): string[] => held.flatMap(({ id, token }) => [id, token]);
const toArguments = (entry: Entry): (string | number)[] => {
  const { id, priority, retries, acceptedAt } = entry;
  return [id, NAME, priority, -priority, retries, new Date(acceptedAt).toISOString(), JSON.stringify(toJobData(entry))];
};
const SETS = [
  ['ready', 'waiting'],
  ['due', 'waiting'],
  ['running', 'running'],
  ['dead', 'dead'],
] as const;

const getOrder = (member: string): number => Number.parseInt(member, 10);
const getJobId = (member: string): string => member.slice(member.indexOf(':') + 1);

/** `lost`: called when the server has lost its data. */
export function createRedisStore(client: Client, prefix: string, lost: () => void): RedisStore {
  const base = `${prefix}{queue}:`;
  const [ready, due, running, dead] = [`${base}ready`, `${base}due`, `${base}running`, `${base}dead`];
  const jobKey = `${base}job:`;
  const [all, named, times] = [`${base}jobs:all`, `${base}jobs:by_name:${NAME}`, `${base}jobs:by_next_run_at`];
  const keys: Keys = [ready, due, running, dead, jobKey, `${base}mark`, `${base}counter`, all, named, times];
  const channel = `${base}wake`;
  let jobs: Promise<JobRepository> | null = null;
  let mark: string | undefined;

  async function runCommand<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      dropIfSilent(client, error);
      throw error;
    }
  }

  function checkMark(found: string): void {
    if (mark !== undefined && mark !== found) lost();
    mark = found;
  }

  async function loadViews(
    members: readonly (readonly [member: string, state: JobView['state']])[],
  ): Promise<JobView[]> {
    const asked = client.pipeline();
    for (const [member] of members) asked.hgetall(jobKey + getJobId(member));
    const got = (await asked.exec()) ?? [];
    return got.flatMap(([error, fields], at) => {
      if (error) throw error;
      const [member, state] = members[at] ?? ['', 'waiting'];
      const known = fields as Readonly<Record<string, string>>;
      return known['data'] === undefined || known['member'] === undefined
        ? []
        : [toJobView(getJobId(member), state, known)];
    });
  }

  async function listMembers(state: JobFilter['state']): Promise<(readonly [string, JobView['state']])[]> {
    const sets = SETS.filter(([, of]) => state === undefined || state === of);
    const found = await client.lintelMembers(...keys, ...sets.map(([set]) => set));
    return sets
      .flatMap(([, of], at) => (found[at] ?? []).map((member) => [member, of] as const))
      .sort(([a], [b]) => getOrder(a) - getOrder(b));
  }

  async function createRepository(): Promise<JobRepository> {
    const { RedisBackend } = await import('@agendajs/redis-backend');
    // The backend expects its own version of the driver.
    const redis = client as unknown as RedisBackendConfig['redis'];
    return new RedisBackend({ ...(redis && { redis }), keyPrefix: base, channelName: channel }).repository;
  }

  return {
    channel,
    jobs: () => (jobs ??= createRepository()),
    ping: () => runCommand(async () => void (await client.ping())),
    add: (entries) =>
      runCommand(async () => {
        const words = entries.flatMap((entry) => [...toArguments(entry), Math.max(0, entry.delay)]);
        checkMark(await client.lintelAdd(...keys, randomUUID(), ...words));
      }),
    moveToDeadLetter: (entry, { code, detail }) =>
      runCommand(async () =>
        checkMark(await client.lintelBury(...keys, randomUUID(), ...toArguments(entry), code, detail)),
      ),
    claimJobs: (token, limit, lease) =>
      runCommand(async () => {
        const taken = await client.lintelClaim(...keys, token, lease, limit);
        return taken.map(([id, attempt, retries, data, journal]) => ({
          id,
          token,
          attempt,
          retries: Number(retries),
          body: (JSON.parse(data) as JobData).work,
          journal: journal === '' ? null : journal,
        }));
      }),
    renewLeases: (held, lease) =>
      runCommand(
        async () => new Set(held.length === 0 ? [] : await client.lintelRenew(...keys, lease, ...toPairs(held))),
      ),
    saveJournal: ({ id, token }, journal) =>
      runCommand(async () => (await client.lintelNote(...keys, id, token, journal)) === 1),
    completeJob: ({ id, token }) => runCommand(async () => (await client.lintelDone(...keys, id, token)) === 1),
    fail: ({ id, token }, { code, detail }, after, counted = true) =>
      runCommand(async () => {
        const words = [id, token, code, detail, after ?? '', counted ? 0 : -1];
        return (await client.lintelFail(...keys, ...words)) === 1;
      }),
    release: (held) =>
      runCommand(async () => {
        if (held.length > 0) await client.lintelRelease(...keys, ...toPairs(held));
      }),
    sweepJobs: ({ code, detail }) =>
      runCommand(async () => {
        const [found, woken, next, gone] = await client.lintelSweep(...keys, randomUUID(), code, detail, MOST);
        checkMark(found);
        return { woken, dead: gone, next: next < 0 ? null : next };
      }),
    notifyWorkers: () =>
      runCommand(async () => void (await client.publish(channel, JSON.stringify(createNotification())))),

    list: ({ state, resource, limit = MOST_LISTED }) =>
      runCommand(async () => {
        const members = await listMembers(state);
        const views: JobView[] = [];
        for (let at = 0; at < members.length && views.length < limit; at += PAGE) {
          const page = await loadViews(members.slice(at, at + PAGE));
          views.push(...page.filter((view) => resource === undefined || view.resource === resource));
        }
        return views.slice(0, limit);
      }),
    countBacklog: () =>
      runCommand(async () => {
        const [waits, delayed, runs, gone, oldest] = await client.lintelBacklog(...keys, LOOKED_AT);
        return { ready: waits, delayed, running: runs, dead: gone, oldest: oldest / 1000 };
      }),
    show: (id) =>
      runCommand(async () => {
        const fields = await client.hgetall(jobKey + id);
        const { member, data, journal = null } = fields;
        if (member === undefined || data === undefined) return null;
        const { work } = JSON.parse(data) as JobData;
        return { view: toJobView(id, await client.lintelState(...keys, member), fields), body: work, journal };
      }),
    retry: (id) => runCommand(async () => (await client.lintelRetry(...keys, id)) === 1),
    purge: (which) =>
      runCommand(async () => {
        if ('id' in which) return client.lintelPurge(...keys, which.id, 0);
        for (let total = 0; ;) {
          const gone = await client.lintelPurge(...keys, '', PAGE);
          total += gone;
          if (gone < PAGE) return total;
        }
      }),
  };
}

function toJobView(id: string, state: JobView['state'], fields: Readonly<Record<string, string>>): JobView {
  const { data = '{}', code, failReason = '', nextRunAt = '', failedAt = '' } = fields;
  const { resource, part, acceptedAt } = JSON.parse(data) as JobData;
  const readNumber = (name: string): number => Number(fields[name] ?? 0);
  return {
    id,
    resource,
    part,
    state,
    // Avoids minus zero.
    priority: 0 - readNumber('rank'),
    attempts: readNumber('attempts'),
    retries: readNumber('retries'),
    acceptedAt,
    dueAt: state === 'waiting' ? Date.parse(nextRunAt) : null,
    failure: code === undefined ? null : { code, detail: failReason, at: Date.parse(failedAt) },
  };
}
