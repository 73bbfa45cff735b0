/** The connections to one server, each leased to one caller, with session settings that give SQL its PostgreSQL meaning. */
import mysql from 'mysql2';
import type { Connection, ConnectionOptions } from 'mysql2';
import type { Asker } from '../../../contract/asker.js';
import type { Fault } from '../../../contract/fault.js';
import { createLine, type Leave } from '../../../contract/line.js';
import { clock } from '../../../language/project/clock.js';
import type { Log } from '../../../contract/plugin.js';
import { judgeWhole, LargeResult } from '../../shared/results.js';
import { answerOf, type Answer } from './answer.js';
import type { Bound } from './bind.js';
import { GivenUp, isLost, Overdue, Unavailable } from './errors.js';
import type { MysqlOptions } from './options.js';
import { settings } from './settings.js';
import type { Flavour } from './types.js';

export interface Wire {
  readonly flavour: Flavour;
  run(text: string, values: readonly Bound[]): Promise<Answer>;
  command(text: string): Promise<void>;
  /** Codes of the warnings of the last statement. */
  remarks(): Promise<readonly number[]>;
}

export interface Lease {
  readonly wire: Wire;
  readonly release: (broken: boolean) => void;
}

export interface Pool {
  /** Waiting callers are served fairly, in turns of their clients. */
  lease(asker?: Asker | null): Promise<Lease>;
  close(): Promise<void>;
}

interface Member extends Wire {
  readonly connection: Connection;
  lost: boolean;
  since: number;
  /** Deadline of the lease holder, in the time of `performance.now`. */
  until: number;
  asker: Asker | null;
  /** Bytes of the current result, and the number at which the next check is due. */
  read: number;
  look: number;
  judge: (() => void) | null;
  leave: Leave;
}

interface Waiter {
  readonly take: (lease: Lease) => void;
  readonly fail: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** Milliseconds in which leases may be released at shutdown. */
const LAST_WAIT = 5000;

/** The least milliseconds to wait for a command. */
const LAST_WAIT_MS = 1000;

/** `dial`: creates a connection object, which the pool connects. */
export async function createPool(
  options: Omit<MysqlOptions, 'isolation'>,
  log: Pick<Log, 'debug'>,
  dial: (client: ConnectionOptions) => Connection = mysql.createConnection,
): Promise<Pool> {
  const all = new Set<Member>();
  const idle: { member: Member; since: number }[] = [];
  const waiting: Waiter[] = [];
  let opening = 0;
  let closed = false;
  /** Set while the shutdown waits for the last connection. */
  let emptied: (() => void) | null = null;

  const drop = (member: Member): void => {
    member.lost = true;
    all.delete(member);
    const at = idle.findIndex((one) => one.member === member);
    if (at >= 0) idle.splice(at, 1);
    member.connection.destroy();
    if (all.size === 0) emptied?.();
    member.leave();
    if (waiting.length > 0) grow();
  };

  /** A timeout closes the connection. */
  function exchange<T>(
    member: Member,
    start: (settle: (error: unknown, value?: T) => void) => void,
    least = 0,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      let over = false;
      const settle = (error: unknown, value?: T): void => {
        if (over) return;
        over = true;
        clearTimeout(timer);
        if (error === null || error === undefined) resolve(value as T);
        else {
          if (isLost(error)) drop(member);
          reject(error instanceof Error ? error : new Error('the driver failed', { cause: error }));
        }
      };
      // The server has the same deadline and is given time to enforce it.
      const timer = setTimeout(
        () => {
          stop(member);
          drop(member);
          settle(new Overdue('no answer in time'));
        },
        Math.min(options.deadline + 500, Math.max(least, member.until - performance.now())),
      );
      start(settle);
    });
  }

  /** Closes the connection when a result becomes too large; returns the check of a complete result. */
  function bounded(member: Member, refuse: (error: unknown) => void): (rows: number) => Fault | null {
    const result = new LargeResult(options.limits, member.asker);
    [member.read, member.look] = [0, options.limits.look];
    member.judge = () => {
      const refusal = result.judge(0, member.read);
      member.look = result.next;
      if (refusal === null) return;
      result.forget();
      stop(member);
      drop(member);
      refuse(new GivenUp(refusal));
    };
    return (rows) => {
      member.judge = null;
      result.end();
      return judgeWhole(rows, 0, options.limits);
    };
  }

  /** Kills an abandoned statement on the server. */
  function stop({ connection: { threadId } }: Member): void {
    const id = Number(threadId);
    if (!Number.isInteger(id)) return;
    connect()
      .then(async (member) => {
        await member.command(`KILL ${id}`).finally(() => drop(member));
      })
      .catch((error: unknown) => log.debug({ err: error }, 'a statement that took too long was not stopped'));
  }

  async function connect(): Promise<Member> {
    const connection = dial(options.client);
    // Without an error listener, the process would end.
    connection.on('error', (error: unknown) => {
      log.debug({ err: error }, 'database connection lost');
      drop(member);
    });
    const member: Member = {
      connection,
      flavour: 'mysql',
      lost: false,
      since: performance.now(),
      until: Infinity,
      asker: null,
      read: 0,
      look: options.limits.look,
      judge: null,
      leave: () => undefined,
      run: (text, values) =>
        exchange(member, (settle) => {
          const result = bounded(member, settle);
          connection.execute(text, values as never, (error, answer, fields) => {
            settle(
              error ?? result(Array.isArray(answer) ? answer.length : 0),
              error ? undefined : answerOf(answer, fields),
            );
          });
        }),
      // A command ends a transaction, so its result is awaited beyond the deadline of the request.
      command: (text) =>
        exchange(member, (settle) => void connection.query(text, (error) => settle(error)), LAST_WAIT_MS),
      remarks: () =>
        exchange(member, (settle) => {
          connection.query('SHOW WARNINGS', (error, result) => {
            settle(error, error ? undefined : (result as unknown as unknown[][]).map((row) => Number(row[1])));
          });
        }),
    };
    try {
      await new Promise<void>((resolve, reject) => {
        connection.connect((error) => (error ? reject(error) : resolve()));
      });
      const { rows } = await member.run('SELECT VERSION()', []);
      const flavour = /mariadb/i.test(String(rows?.[0]?.[0])) ? 'mariadb' : 'mysql';
      Object.assign(member, { flavour });
      await member.command(settings(flavour, options.deadline));
      await member.command('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
      const { stream } = connection as unknown as { stream: NodeJS.EventEmitter };
      // The connection may have been closed before there was a listener.
      stream.on('close', () => drop(member));
      stream.on('data', (chunk: Buffer) => {
        member.read += chunk.length;
        if (member.read > member.look) member.judge?.();
      });
      return member;
    } catch (error) {
      member.lost = true;
      connection.destroy();
      throw error;
    }
  }

  function leaseOf(member: Member): Lease {
    let given = false;
    return {
      wire: member,
      release(broken) {
        if (given) return;
        given = true;
        Object.assign(member, { until: Infinity, asker: null, judge: null });
        if (broken || member.lost || closed) drop(member);
        else hand(member);
      },
    };
  }

  function hand(member: Member): void {
    const next = waiting.shift();
    if (next === undefined) {
      idle.push({ member, since: performance.now() });
      return;
    }
    clearTimeout(next.timer);
    next.take(leaseOf(member));
  }

  function grow(): void {
    if (closed || all.size + opening >= options.pool) return;
    opening++;
    connect()
      .then((member) => {
        all.add(member);
        if (closed) drop(member);
        else hand(member);
      })
      .catch((error: unknown) => {
        const next = waiting.shift();
        if (next === undefined) return;
        clearTimeout(next.timer);
        next.fail(new Unavailable('no connection', { cause: error }));
      })
      .finally(() => opening--);
  }

  const sweep = setInterval(() => {
    const now = performance.now();
    for (const { member, since } of [...idle]) if (now - since > options.idle && all.size > 1) drop(member);
  }, 1000);
  sweep.unref();

  try {
    const first = await connect();
    all.add(first);
    hand(first);
  } catch (error) {
    clearInterval(sweep);
    throw error;
  }

  const line = createLine(options.pool, Infinity, () => new Unavailable('no connection became free in time'), {
    clock,
    patience: options.poolWait,
  });

  function free(): Promise<Lease> {
    if (closed) return Promise.reject(new Unavailable('closed'));
    const found = idle.pop();
    if (found) return Promise.resolve(leaseOf(found.member));
    return new Promise((take, fail) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1);
        fail(new Unavailable('no connection became free in time'));
      }, options.poolWait);
      const waiter: Waiter = { take, fail, timer };
      waiting.push(waiter);
      grow();
    });
  }

  return {
    lease: (asker = null) =>
      new Promise((take, fail) => {
        line.enter(asker, (refusal, leave) => {
          if (refusal !== null) return fail(refusal);
          free().then(
            ({ wire, release }) => {
              const until = asker?.invocation.deadline ?? Infinity;
              Object.assign(wire as Member, { until, leave, asker });
              const giveBack: Lease['release'] = (broken) => {
                release(broken);
                leave();
              };
              take({ wire, release: giveBack });
            },
            (error: Error) => {
              leave();
              fail(error);
            },
          );
        });
      }),
    async close() {
      if (closed) return;
      closed = true;
      clearInterval(sweep);
      line.close(new Unavailable('closed'));
      for (const { timer, fail } of waiting.splice(0)) {
        clearTimeout(timer);
        fail(new Unavailable('closed'));
      }
      for (const { member } of [...idle]) drop(member);
      // Lease holders may finish; connections not released in time are closed.
      if (all.size > 0) {
        await new Promise<void>((done) => {
          const timer = setTimeout(done, LAST_WAIT);
          emptied = () => {
            clearTimeout(timer);
            done();
          };
        });
      }
      for (const member of [...all]) drop(member);
    },
  };
}
