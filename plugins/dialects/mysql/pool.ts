/** The connections to one server, each leased to one caller, with settings that give SQL its PostgreSQL meaning. */
import mysql from 'mysql2';
import type { Connection, ConnectionOptions, RowDataPacket } from 'mysql2';
import type { Requester } from '../../../contract/requester.js';
import type { PoolUsage } from '../kind.js';
import type { Fault } from '../../../contract/fault.js';
import { createLimiter } from '../../../contract/limiter.js';
import { clock } from '../../../language/project/clock.js';
import type { Log } from '../../../contract/plugin.js';
import { checkResultSize, LargeResult } from '../../shared/results.js';
import { toStatementResult } from './statement-result.js';
import { ResultAbortedError, isMysqlConnectionLost, OverdueError, ConnectionUnavailableError } from './errors.js';
import type { MysqlOptions } from './options.js';
import type { Member, Waiter, Lease } from './connection.js';
import { streamRows, type StreamContext } from './row-stream.js';
import { formatSessionSettings } from './settings.js';

export interface Pool {
  /** Waiting callers are served fairly, in turns of their clients. */
  acquire(requester?: Requester | null): Promise<Lease>;
  /** One that requests leave free. */
  acquireSpare(): Promise<Lease>;
  measure(): PoolUsage;
  close(): Promise<void>;
}

/** Milliseconds in which leases may be released at shutdown. */
const LAST_WAIT = 5000;

/** Milliseconds in which a connection that was taken reaches a request that waits. */
const YIELD_MS = 500;

/** The least milliseconds to wait for a command. */
const LAST_WAIT_MS = 1000;

/** `dial`: creates a connection object, which the pool connects. */
export async function createPool(
  options: Omit<MysqlOptions, 'isolation' | 'streams' | 'isReplica'>,
  log: Pick<Log, 'debug'>,
  dial: (client: ConnectionOptions) => Connection = mysql.createConnection,
): Promise<Pool> {
  const all = new Set<Member>();
  const idle: { member: Member; since: number }[] = [];
  const waiting: Waiter[] = [];
  let opening = 0;
  let yieldedAt = -Infinity;
  let closed = false;
  /** Set while the shutdown waits for the last connection. */
  let emptied: (() => void) | null = null;

  const closeMember = (member: Member): void => {
    member.lost = true;
    all.delete(member);
    const at = idle.findIndex((one) => one.member === member);
    if (at >= 0) idle.splice(at, 1);
    member.connection.destroy();
    if (all.size === 0) emptied?.();
    member.leave(!member.isPassedOn);
    if (waiting.length > 0) addConnection();
  };

  /** A timeout closes the connection. */
  function runWithDeadline<T>(
    member: Member,
    start: (settle: (error: unknown, value?: T) => void) => void,
    least = 0,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      let over = false;
      const finishExchange = (error: unknown, value?: T): void => {
        if (over) return;
        over = true;
        clearTimeout(timer);
        if (error === null || error === undefined) resolve(value as T);
        else {
          if (isMysqlConnectionLost(error)) closeMember(member);
          reject(error instanceof Error ? error : new Error('the driver failed', { cause: error }));
        }
      };
      // The server has the same deadline, and time to enforce it.
      const timer = setTimeout(
        () => {
          endStatement(member);
          finishExchange(new OverdueError('no answer in time'));
        },
        Math.min(options.deadline + 500, Math.max(least, member.until - performance.now())),
      );
      start(finishExchange);
    });
  }

  /** Closes the connection when a result becomes too large; returns the check of a complete one. */
  function limitResult(member: Member, refuse: (error: unknown) => void): (rows: number) => Fault | null {
    const result = new LargeResult(options.limits, member.requester);
    [member.read, member.nextCheck] = [0, options.limits.checkFrom];
    member.checkSize = () => {
      const refusal = result.checkSize(0, member.read);
      member.nextCheck = result.next;
      if (refusal === null) return;
      result.dispose();
      endStatement(member);
      refuse(new ResultAbortedError(refusal));
    };
    return (rows) => {
      member.checkSize = null;
      result.close();
      return checkResultSize(rows, 0, options.limits);
    };
  }

  const endStatement = (member: Member): void => {
    killStatement(member);
    closeMember(member);
  };

  /** Once for each request that waits. */
  function mustYield(): boolean {
    const now = performance.now();
    if (line.waiting === 0 || now - yieldedAt < YIELD_MS) return false;
    yieldedAt = now;
    return true;
  }

  function killStatement({ connection: { threadId } }: Member): void {
    const id = Number(threadId);
    if (!Number.isInteger(id)) return;
    connect()
      .then(async (member) => {
        await member.runCommand(`KILL ${id}`).finally(() => closeMember(member));
      })
      .catch((error: unknown) => log.debug({ err: error }, 'statement not cancelled after its timeout'));
  }

  async function connect(): Promise<Member> {
    const connection = dial(options.client);
    // Without an error listener, the process would end.
    connection.on('error', (error: unknown) => {
      log.debug({ err: error }, 'database connection lost');
      closeMember(member);
    });
    const member: Member = {
      connection,
      flavour: 'mysql',
      lost: false,
      since: performance.now(),
      until: Infinity,
      requester: null,
      read: 0,
      nextCheck: options.limits.checkFrom,
      checkSize: null,
      leave: () => undefined,
      isPassedOn: false,
      run: (text, values, isTransient) =>
        runWithDeadline(member, (settle) => {
          const result = limitResult(member, settle);
          connection.execute(text, values as never, (error, answer, fields) => {
            if (isTransient === true && !member.lost) connection.unprepare(text);
            settle(
              error ?? result(Array.isArray(answer) ? answer.length : 0),
              error ? undefined : toStatementResult(answer, fields),
            );
          });
        }),
      stream: (text, values, begin) => {
        const { until, requester } = member;
        const context: StreamContext = {
          connection,
          until,
          requester,
          silence: options.deadline,
          mustYield,
          end: () => endStatement(member),
          recordPassedOn: () => void (member.isPassedOn = true),
          limit: (refuse) => limitResult(member, refuse),
        };
        return streamRows(context, text, values, begin);
      },
      // A transaction's end is awaited beyond the deadline of the request.
      runCommand: (text) =>
        runWithDeadline(member, (settle) => void connection.query(text, (error) => settle(error)), LAST_WAIT_MS),
      readWarnings: () =>
        runWithDeadline(member, (settle) => {
          connection.query<RowDataPacket[][]>('SHOW WARNINGS', (error, result) => {
            settle(error, error ? undefined : result.map((row) => Number(row[1])));
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
      await member.runCommand(formatSessionSettings(flavour, options.deadline));
      await member.runCommand('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
      const { stream } = connection as Connection & { readonly stream: NodeJS.EventEmitter };
      // The connection may have been closed before there was a listener.
      stream.on('close', () => closeMember(member));
      stream.on('data', (chunk: Buffer) => {
        member.read += chunk.length;
        if (member.read > member.nextCheck) member.checkSize?.();
      });
      return member;
    } catch (error) {
      member.lost = true;
      connection.destroy();
      throw error;
    }
  }

  function createLease(member: Member): Lease {
    let given = false;
    return {
      wire: member,
      release(broken) {
        if (given) return;
        given = true;
        Object.assign(member, { until: Infinity, requester: null });
        if (broken || member.lost || closed) closeMember(member);
        else assignMember(member);
      },
    };
  }

  function assignMember(member: Member): void {
    const next = waiting.shift();
    if (next === undefined) {
      idle.push({ member, since: performance.now() });
      return;
    }
    clearTimeout(next.timer);
    next.take(createLease(member));
  }

  function addConnection(): void {
    if (closed || opening >= waiting.length || all.size + opening > options.pool) return;
    opening++;
    connect()
      .then((member) => {
        all.add(member);
        if (closed) closeMember(member);
        else assignMember(member);
      })
      .catch((error: unknown) => {
        const next = waiting.shift();
        if (next === undefined) return;
        clearTimeout(next.timer);
        next.fail(new ConnectionUnavailableError('no connection', { cause: error }));
      })
      .finally(() => opening--);
  }

  const sweep = setInterval(() => {
    const now = performance.now();
    for (const { member, since } of [...idle]) if (now - since > options.idle && all.size > 1) closeMember(member);
  }, 1000);
  sweep.unref();

  try {
    const first = await connect();
    all.add(first);
    assignMember(first);
  } catch (error) {
    clearInterval(sweep);
    throw error;
  }

  const createLateError = (): Error => new ConnectionUnavailableError('no connection became free in time');
  const line = createLimiter(options.pool, Infinity, createLateError, { clock, patience: options.poolWait });

  function acquireLease(): Promise<Lease> {
    if (closed) return Promise.reject(new ConnectionUnavailableError('closed'));
    const found = idle.pop();
    if (found) return Promise.resolve(createLease(found.member));
    return new Promise((take, fail) => {
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1);
        fail(createLateError());
      }, options.poolWait);
      const waiter: Waiter = { take, fail, timer };
      waiting.push(waiter);
      addConnection();
    });
  }

  return {
    acquire: (requester = null) =>
      new Promise((take, fail) => {
        line.requestSlot(requester, (refusal, leave) => {
          if (refusal !== null) return fail(refusal);
          acquireLease().then(
            ({ wire, release }) => {
              const until = requester?.invocation.deadline ?? Infinity;
              const member = Object.assign(wire as Member, { until, leave, requester, isPassedOn: false });
              const releaseLease: Lease['release'] = (broken) => {
                release(broken);
                leave(!member.isPassedOn);
              };
              take({ wire, release: releaseLease });
            },
            (error: Error) => {
              leave();
              fail(error);
            },
          );
        });
      }),
    async acquireSpare() {
      const lease = await acquireLease();
      Object.assign(lease.wire, { until: Infinity, leave: () => undefined, requester: null, isPassedOn: false });
      return lease;
    },
    measure: () => ({
      most: options.pool + 1,
      open: all.size,
      busy: all.size - idle.length,
      waiting: line.waiting + waiting.length,
    }),
    async close() {
      if (closed) return;
      closed = true;
      clearInterval(sweep);
      line.close(new ConnectionUnavailableError('closed'));
      for (const { timer, fail } of waiting.splice(0)) {
        clearTimeout(timer);
        fail(new ConnectionUnavailableError('closed'));
      }
      for (const { member } of [...idle]) closeMember(member);
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
      for (const member of [...all]) closeMember(member);
    },
  };
}
