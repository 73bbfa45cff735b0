/**
 * What callers and the log receive of a PostgreSQL error, by its SQLSTATE; and why a connection could not be opened.
 */
import { expect } from 'chai';
import { createFault, type Fault } from '../../../contract/fault.js';
import type { RuntimeContext } from '../../../contract/plugin.js';
import type { Dialect } from '../../../plugins/dialects/kind.js';
import postgres from '../../../plugins/dialects/postgres/runtime.js';
import { createAddressFault, createConnectFault } from '../../../plugins/dialects/shared/connect.js';
import {
  isPostgresConnectionLost,
  isPostgresRetryable,
  isStale,
  toPostgresFault,
} from '../../../plugins/dialects/shared/errors.js';

const failure = (code: unknown, fields: object = {}, message = 'text of the server'): Error =>
  Object.assign(new Error(message), code === null ? {} : { code }, fields);
const listPointers = (error: Fault): string[] => (error.options.issues ?? []).map(({ pointer }) => pointer);

describe('PostgreSQL errors', () => {
  const CODES: Readonly<Record<string, readonly string[]>> = {
    QRY_UNIQUE: ['23505', '23P01'],
    QRY_FOREIGN_KEY: ['23503', '23001'],
    QRY_NOT_NULL: ['23502'],
    QRY_CHECK: ['23514'],
    QRY_SERIALIZATION: ['40001', '40P01'],
    QRY_TIMEOUT: ['57014', '55P03', '25P03'],
    QRY_BAD_VALUE: ['22001', '22P02', '22003', '54000', '42601', '42602', '42704'],
    QRY_UNAVAILABLE: ['08000', '08006', '53300', '53100', '57P01', '57P02', '57P03', '57P05', 'ECONNRESET', 'EPIPE'],
    QRY_FAILED: [
      ...['42P01', '42703', '57000', '2200', '22', '0A000', 'XX000', '28P01', '23000', 'a2200', '', 'E12', 'toString'],
      // Only the beginning of a SQLSTATE of five signs is its class.
      ...['X2201', 'P0853', '22-22001', '22001x', '08-57P01', '08P01x', 'X42601', '426011'],
    ],
  };
  for (const [code, states] of Object.entries(CODES)) {
    it(`map to ${code}: ${states.join(', ')}`, () => {
      for (const state of states) expect(toPostgresFault(failure(state)).code, state).to.equal(code);
    });
  }

  it('name the word of the statement if the server reports its position', () => {
    const text = 'SELECT nme FROM notes';
    const word = (position: unknown): unknown =>
      toPostgresFault(failure('42703', { position }), 'none', text).options.word;
    expect(word('8')).to.deep.equal({ text: 'nme', nth: 0 });
    for (const position of ['0', '', 'x', undefined]) expect(word(position), String(position)).to.equal(undefined);
    expect(toPostgresFault(failure('42703', { position: '8' })).options.word).to.equal(undefined);
  });

  it('are rejections of a value only without a position in the statement', () => {
    for (const state of ['42601', '42602', '42704']) {
      for (const absent of [undefined, null, ''])
        expect(toPostgresFault(failure(state, { position: absent, internalQuery: absent })).code).to.equal(
          'QRY_BAD_VALUE',
        );
      expect(toPostgresFault(failure(state, { position: '7' })).code).to.equal('QRY_FAILED');
      expect(toPostgresFault(failure(state, { internalQuery: 'SELECT' })).code).to.equal('QRY_FAILED');
    }
  });

  it('of the driver, without a code, are reported by their text', () => {
    for (const message of [
      'Connection terminated unexpectedly',
      'connection error',
      'Connection timeout',
      'timeout exceeded when trying to connect',
      'timeout expired',
      'Client has encountered a connection error and is not queryable',
      'Cannot use a pool after calling end on the pool',
      'PGlite is closed',
      'PGlite is closing',
      'Query read timeout',
    ])
      expect(
        [toPostgresFault(failure(null, {}, message)).code, isPostgresConnectionLost(failure(null, {}, message))],
        message,
      ).to.deep.equal(['QRY_UNAVAILABLE', true]);
    for (const error of [failure(null), 'text', null, undefined, 1, { message: 7 }, { code: 8 }])
      expect([toPostgresFault(error).code, isPostgresConnectionLost(error)]).to.deep.equal(['QRY_FAILED', false]);
  });

  it('of the network and those that end a session discard the connection', () => {
    const network = 'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN';
    for (const code of [...network.split(' '), 'ERR_STREAM_DESTROYED', 'ERR_SOCKET_CLOSED', '08003', '57P01'])
      expect(isPostgresConnectionLost(failure(code)), code).to.equal(true);
    for (const severity of ['FATAL', 'PANIC'])
      expect(isPostgresConnectionLost(failure('42601', { severity })), severity).to.equal(true);
    for (const code of ['23505', '57014', '53300', '42P08', 'AECONN', 'E0800', 'enoent', '08-57P01', '08P01x'])
      expect(isPostgresConnectionLost(failure(code, { severity: 'ERROR' })), code).to.equal(false);
    // The text of a server's own error is not an indication.
    expect(isPostgresConnectionLost(failure('P0001', {}, 'connection terminated'))).to.equal(false);
  });

  it('are retryable if the same statement may succeed later', () => {
    const stale = failure('0A000', { routine: 'RevalidateCachedQuery' });
    for (const [error, retryable, again] of [
      [failure('40001'), true, true],
      [failure('40P01'), true, true],
      [failure('26000'), true, true],
      [stale, true, true],
      [failure('57P01'), true, false],
      [failure('0A000'), undefined, false],
      [failure('26001', { routine: 'RevalidateCachedQuery' }), undefined, false],
      [failure('23505'), undefined, false],
      [failure('57014'), undefined, false],
      [failure('x40001'), undefined, false],
      [failure('400010'), undefined, false],
    ] as const) {
      const reported = toPostgresFault(error);
      expect(
        [reported.options.retryable, isPostgresRetryable(error), isPostgresRetryable(reported)],
        error.message,
      ).to.deep.equal([retryable, again, again]);
    }
    expect([isStale(stale), isStale(failure('0A000')), isStale(failure('26000'))]).to.deep.equal([true, false, true]);
  });

  it('set Retry-After if the database is unavailable or timed out', () => {
    for (const code of ['57P01', 'EPIPE', '57014', '55P03'])
      expect(toPostgresFault(failure(code)).options.headers, code).to.deep.equal({ 'retry-after': '1' });
    for (const code of ['40001', '23505', '42601'])
      expect(toPostgresFault(failure(code)).options.headers).to.equal(undefined);
  });

  it('are not retryable if a write was sent and the connection was lost', () => {
    const outcome = 'Whether the last statement took effect is not known.';
    const gone = toPostgresFault(failure('EPIPE'), 'unknown');
    expect([gone.params, gone.options.retryable]).to.deep.equal([{ outcome }, undefined]);
    // The server rejected the statement before it ran.
    const full = toPostgresFault(failure('53300'), 'unknown');
    expect([full.params, full.options.retryable]).to.deep.equal([{}, true]);
    expect(toPostgresFault(failure('EPIPE')).params).to.deep.equal({});
    expect(toPostgresFault(failure('40001'), 'unknown').options.retryable).to.equal(true);
  });

  it('are passed on if they are already faults', () => {
    const own = createFault('QRY_BAD_VALUE');
    expect(toPostgresFault(own, 'unknown')).to.equal(own);
  });

  describe('name columns', () => {
    const unique = (detail: unknown): string[] => listPointers(toPostgresFault(failure('23505', { detail })));
    const cases: readonly (readonly [unknown, string[]])[] = [
      ['Key (email)=(a@b) already exists.', ['/email']],
      ['Key (a, b)=(1, 2) already exists.', ['/a', '/b']],
      ['Key ("Full", "order")=(1, 2) already exists.', ['/Full', '/order']],
      ['Key (a_1$)=(1) already exists.', ['/a_1$']],
      ['Key (_a)=(1) already exists.', ['/_a']],
      // An expression is not a column, nor is anything but a plain name.
      ['Key (lower(email))=(a) already exists.', []],
      ['Key ("a b")=(1) already exists.', []],
      ['Key (a, 1b)=(1, 2) already exists.', []],
      ['in f(1): Key (a)=(1)', []],
      ['Key (x"a")=(1) already exists.', []],
      ['Key ("a"x)=(1) already exists.', []],
      ['Key (a) already exists.', []],
      [undefined, []],
      [7, []],
    ];
    for (const [detail, expected] of cases)
      it(`of ${String(detail)}`, () => expect(unique(detail)).to.deep.equal(expected));

    it('of other rejections', () => {
      const rows: readonly (readonly [string, object, string[]])[] = [
        ['23503', { detail: 'Key (user_id)=(7) is not present in table "users".' }, ['/user_id']],
        ['23502', { column: 'a/b' }, ['/a~1b']],
        ['23502', {}, []],
        ['23502', { column: 7, detail: 'Key (a)=(1)' }, []],
        ['23514', { table: 't', constraint: 't_name_length' }, ['/name']],
        ['23514', { table: 't', constraint: 't__length' }, []],
        ['23514', { table: 't', constraint: 't_length' }, []],
        ['23514', { table: 't', constraint: 't_name_check' }, []],
        ['23514', { table: 't', constraint: 'u_name_length' }, []],
        ['23514', { constraint: 't_name_length' }, []],
        ['23514', { table: 't' }, []],
        ['22P02', { where: 'unnamed portal parameter $2 = ...' }, ['$2']],
        ['22P02', { where: 'portal "x" Parameter $12' }, ['$12']],
        ['22P02', { where: 'in a function' }, []],
        ['22P02', { where: 7 }, []],
        ['40001', { detail: 'Key (a)=(1)', column: 'a' }, []],
      ];
      for (const [code, fields, expected] of rows)
        expect(listPointers(toPostgresFault(failure(code, fields))), JSON.stringify([code, fields])).to.deep.equal(
          expected,
        );
    });

    it('in the text of the rejection', () => {
      const { issues } = toPostgresFault(failure('23505', { detail: 'Key (a)=(1) exists' })).options;
      expect(issues).to.deep.equal([{ pointer: '/a', code: 'QRY_UNIQUE', detail: 'is taken already' }]);
      expect(toPostgresFault(failure('23505')).options).not.to.have.property('issues');
    });
  });

  describe('are logged', () => {
    const getCauseMessage = (error: unknown): string => (toPostgresFault(error).options.cause as Error).message;

    it('without a message that may quote a value', () => {
      for (const code of ['22P02', 'P0001', 'XX000', '42601', '0A000', '27000', '24000'])
        expect(getCauseMessage(failure(code, {}, 'secret')), code).to.equal(`database error ${code}`);
      for (const code of ['08006', '21000', '23505', '25P02', '26000', '28000', '3D000', '40001', '53300', '54000'])
        expect(getCauseMessage(failure(code, {}, 'plain')), code).to.equal('plain');
      for (const code of ['55P03', '57014', '58030'])
        expect(getCauseMessage(failure(code, {}, 'plain')), code).to.equal('plain');
    });

    it('with a message about a position in the statement', () => {
      for (const code of ['42703', '0A000'])
        expect(getCauseMessage(failure(code, { position: '3' }, 'plain')), code).to.equal('plain');
      for (const code of ['22P02', 'X4200'])
        expect(getCauseMessage(failure(code, { position: '3' }, 'secret'))).to.equal(`database error ${code}`);
    });

    it('with names of objects, and without detail, query or values', () => {
      const names = { severity: 'ERROR', table: 't', column: 'c', constraint: 'k', routine: 'r' };
      const { cause } = toPostgresFault(failure('23502', { ...names, detail: 'secret', query: 'secret' })).options;
      expect(cause)
        .to.be.instanceOf(Error)
        .and.include({ name: 'DatabaseError', code: '23502', ...names });
      expect(cause).not.to.have.any.keys('detail', 'query');
    });

    it('unchanged if they are not from the server', () => {
      for (const error of [failure('EPIPE'), failure('ENOENT'), failure(null), { code: '22P02' }, 'text'])
        expect(toPostgresFault(error).options.cause).to.equal(error);
    });
  });
});

describe('connection that cannot be opened', () => {
  const open = (error: unknown): readonly [unknown, unknown] => {
    const { params, options } = createConnectFault('main', error);
    return [params['reason'], options.retryable];
  };
  const cases: readonly (readonly [string, unknown, string, boolean])[] = [
    ['28P01', failure('28P01', { severity: 'FATAL' }), 'user name or password refused', false],
    ['28000', failure('28000', { severity: 'FATAL' }), 'login refused by the server', false],
    ['3D000', failure('3D000', { severity: 'FATAL' }), 'the database does not exist', false],
    ['53300', failure('53300', { severity: 'FATAL' }), 'the server has too many connections', true],
    ['57P03', failure('57P03', { severity: 'FATAL' }), 'the server is starting up or shutting down', true],
    ['55000', failure('55000', { severity: 'FATAL' }), 'the database takes no connections at the moment', true],
    ['55000, of a statement', failure('55000'), 'the database takes no connections at the moment', false],
    ['08P01', failure('08P01'), 'the connection failed', true],
    ['55006', failure('55006', { severity: 'FATAL' }), 'the connection failed', false],
    ['X0857', failure('X0857', { severity: 'FATAL' }), 'the connection failed', false],
    ['no SQLSTATE', failure('x42601', { severity: 'FATAL' }), 'the connection failed', true],
    ['a longer code', failure('42601x', { severity: 'FATAL' }), 'the connection failed', true],
    ['ECONNREFUSED', failure('ECONNREFUSED'), 'nothing listens at this address', true],
    ['EPIPE', failure('EPIPE'), 'the connection failed', true],
    ['a timeout', failure(null, {}, 'Connection Timeout'), 'no answer in time', true],
    [
      'no SSL',
      failure(null, {}, 'The server does not support SSL'),
      'the server does not offer an encrypted connection',
      false,
    ],
    ['no TLS', failure(null, {}, 'TLS is off'), 'the server does not offer an encrypted connection', false],
    ['no password', failure(null, {}, 'client password must be a string'), 'user name or password refused', false],
    ['SASL', failure(null, {}, 'sasl: last message'), 'user name or password refused', false],
    [
      'a pooler',
      failure('08P01', { severity: 'FATAL' }, 'unsupported startup parameter: options'),
      'a pooler on the way refuses settings of the session (`ignore_startup_parameters`)',
      false,
    ],
    ['toString', failure('toString'), 'the connection failed', false],
    ['no error', 'timeout', 'the connection failed', false],
  ];
  for (const [name, error, reason, retryable] of cases)
    it(`${name}: ${reason}`, () => expect(open(error)).to.deep.equal([reason, retryable]));

  it('is named, and its cause is logged', () => {
    const cause = failure('28P01');
    const reported = createConnectFault('main', cause);
    expect([reported.code, reported.params['instance'], reported.options.cause]).to.deep.equal([
      'QRY_CONNECT',
      'main',
      cause,
    ]);
    expect(createConnectFault('main', reported)).to.equal(reported);
    expect(createAddressFault('main')).to.include({ code: 'QRY_CONNECT' });
    expect(createAddressFault('main').params).to.deep.equal({ instance: 'main', reason: 'the address is not valid' });
  });

  it('is not attempted with a URL of another type of server', async () => {
    for (const url of ['mysql://127.0.0.1:1/a', 'http://127.0.0.1:1', 'postgres:/a', 5, undefined]) {
      const context = { instance: 'main', options: { url } } as unknown as RuntimeContext;
      const reported = await Promise.resolve(postgres.open?.({} as Dialect, context)).catch((error: unknown) => error);
      expect((reported as Fault).params, String(url)).to.include({ reason: 'the address is not valid' });
    }
  });
});
