/** The operator commands of a queue in PostgreSQL. */
import { COUNTED, type JobView } from '../../../contract/deferred.js';
import type { Row } from '../../dialects/kind.js';
import { toUuid } from './job.js';
import type { QueueStore, RunSql } from './store.js';

const MOST = 1000;
const VIEW = `j.state, j.rank, j.attempts, j.retries, j.failure_code, j.fail_reason, d.id, d.resource, d.part, d."acceptedAt" AS accepted,
  extract(epoch FROM j.next_run_at) * 1000 AS due, extract(epoch FROM j.failed_at) * 1000 AS failed`;
const FROM = `FROM lintel_jobs j, jsonb_to_record(j.data) AS d(id text, resource text, part text, "acceptedAt" float8, work text)`;
const LIST = `SELECT ${VIEW} ${FROM}
WHERE j.state IS NOT NULL AND ($1::text IS NULL OR (CASE j.state WHEN 'delayed' THEN 'waiting' ELSE j.state END) = $1)
  AND ($2::text IS NULL OR d.resource = $2) ORDER BY j.created_at, j.seq LIMIT $3::int`;
const SHOW = `SELECT ${VIEW}, d.work, j.journal ${FROM} WHERE j.id = $1::uuid AND j.state IS NOT NULL`;
const RETRY = `UPDATE lintel_jobs SET state = 'waiting', attempts = 0, next_run_at = now()
WHERE id = $1::uuid AND state = 'dead' RETURNING id`;
const PURGE_ONE = `DELETE FROM lintel_jobs WHERE id = $1::uuid AND state <> 'running' RETURNING id`;
const PURGE_DEAD = `DELETE FROM lintel_jobs WHERE state = 'dead' RETURNING id`;

const count = (state: string): string =>
  `(SELECT count(*) FROM (SELECT 1 FROM lintel_jobs WHERE state = '${state}' LIMIT ${COUNTED}) c)`;
/** Reads along the index of waiting jobs; disabled jobs cannot run and are not counted. */
const BACKLOG = `SELECT count(*) AS ready, coalesce(extract(epoch FROM now() - min(next_run_at)), 0) AS oldest,
  ${count('delayed')} AS delayed, ${count('running')} AS running, ${count('dead')} AS dead
FROM (SELECT next_run_at, disabled FROM lintel_jobs WHERE state = 'waiting' ORDER BY rank DESC, seq LIMIT ${COUNTED}) w
WHERE disabled IS NOT TRUE`;

const number = (value: unknown): number => Math.round(Number(value));

function toJobView(row: Row): JobView {
  const state = row['state'] === 'delayed' ? 'waiting' : (row['state'] as JobView['state']);
  const code = row['failure_code'];
  return {
    id: String(row['id']),
    resource: String(row['resource']),
    part: String(row['part']),
    state,
    priority: Number(row['rank']),
    attempts: number(row['attempts']),
    retries: number(row['retries']),
    acceptedAt: number(row['accepted']),
    dueAt: state === 'waiting' ? number(row['due']) : null,
    failure: typeof code !== 'string' ? null : { code, detail: String(row['fail_reason']), at: number(row['failed']) },
  };
}

export function createSqlJobAdmin(run: RunSql): Pick<QueueStore, 'list' | 'show' | 'retry' | 'purge' | 'countBacklog'> {
  return {
    async list({ state, resource, limit = MOST }) {
      return (await run('list', LIST, [state ?? null, resource ?? null, limit])).map(toJobView);
    },
    async show(id) {
      const [row] = await run('show', SHOW, [toUuid(id)]);
      if (row === undefined) return null;
      const { journal } = row;
      return { view: toJobView(row), body: String(row['work']), journal: typeof journal === 'string' ? journal : null };
    },
    async countBacklog() {
      const [row = {}] = await run('backlog', BACKLOG, []);
      const of = (name: string): number => number(row[name]);
      const oldest = Math.max(0, Number(row['oldest']));
      return { ready: of('ready'), delayed: of('delayed'), running: of('running'), dead: of('dead'), oldest };
    },
    retry: async (id) => (await run('retry', RETRY, [toUuid(id)])).length > 0,
    purge: async (which) =>
      ('id' in which ? await run('purge', PURGE_ONE, [toUuid(which.id)]) : await run('purge-dead', PURGE_DEAD, []))
        .length,
  };
}
