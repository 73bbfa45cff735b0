/**
 * Error numbers and names of MySQL, MariaDB and their driver: codes, columns, log messages, and the reasons why a
 * connection cannot be opened.
 */
import { expect } from 'chai';
import { createFault } from '../../../contract/fault.js';
import { createMysqlAddressFault, createMysqlConnectFault } from '../../../plugins/dialects/mysql/connect.js';
import {
  getErrorCode,
  getErrno,
  isMysqlConnectionLost,
  isMysqlRetryable,
  parseErrorNames,
  OverdueError,
  toMysqlFault,
  ConnectionUnavailableError,
} from '../../../plugins/dialects/mysql/errors.js';

const failure = (errno: number, message = `a 'secret' value`) =>
  Object.assign(new Error(message), { errno, code: 'ER_X' });

/** As the manuals of both servers list them. */
const NUMBERS = {
  QRY_UNIQUE: [1022, 1062, 1169, 1586, 1859],
  QRY_FOREIGN_KEY: [1216, 1217, 1451, 1452],
  QRY_NOT_NULL: [1048, 1263, 1364],
  QRY_CHECK: [1406, 3819, 4025],
  QRY_BAD_VALUE: [
    1264, 1265, 1292, 1300, 1365, 1366, 1367, 1411, 1525, 1690, 3140, 3141, 3143, 3155, 3156, 3157, 3158, 3903, 3904,
    3905, 3906, 3907, 3908, 4037, 4038,
  ],
  QRY_SERIALIZATION: [1020, 1213],
  QRY_TIMEOUT: [1205, 1317, 1907, 1969, 3024, 3572],
  QRY_UNAVAILABLE: [1040, 1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1203, 1226, 1927, 2006, 2013, 4031],
  QRY_FAILED: [1054, 1064, 1146, 1305],
} as const;
const ENDING = [1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1927, 2006, 2013, 4031];
/** Their messages name things of the statement and quote no value. */
const MESSAGES = [1040, 1044, 1045, 1049, 1053, 1205, 1213, 1317, 1054, 1146, 1305, 1969, 3024, 1927, 4031];

describe('MySQL errors', () => {
  for (const [code, numbers] of Object.entries(NUMBERS)) {
    for (const number of numbers) {
      it(`${number} is ${code}`, () => {
        const { code: found, options } = toMysqlFault(failure(number));
        expect(found).to.equal(code);
        expect(options.retryable).to.equal(/SERIALIZATION|UNAVAILABLE/.test(code) ? true : undefined);
        expect(options.headers).to.deep.equal(/TIMEOUT|UNAVAILABLE/.test(code) ? { 'retry-after': '1' } : undefined);
        expect(isMysqlRetryable(toMysqlFault(failure(number)))).to.equal(code === 'QRY_SERIALIZATION');
        expect(isMysqlConnectionLost(failure(number))).to.equal(ENDING.includes(number));
        expect(options.cause).to.include({ errno: number, code: 'ER_X' });
        expect((options.cause as Error).message).to.equal(
          MESSAGES.includes(number) ? `a 'secret' value` : `database error ${number}`,
        );
      });
    }
  }
  for (const number of [1044, 1045, 1049]) {
    it(`log the message of ${number}`, () => {
      expect((toMysqlFault(failure(number)).options.cause as Error).message).to.equal(`a 'secret' value`);
    });
  }

  it('are unchanged without a number', () => {
    const error = new Error('of the driver');
    expect(toMysqlFault(error).options.cause).to.equal(error);
    expect(toMysqlFault('text').options.cause).to.equal('text');
    expect(toMysqlFault({ errno: 1062 }).options.cause).to.deep.equal({ errno: 1062 });
  });
  it('are passed on if they are faults', () => {
    const one = createFault('QRY_CHECK');
    expect(toMysqlFault(one)).to.equal(one);
    expect(isMysqlRetryable(new Error('QRY_SERIALIZATION'))).to.equal(false);
  });
  it('are a timeout after the deadline, and unavailable without a connection', () => {
    expect(toMysqlFault(new OverdueError('late')).code).to.equal('QRY_TIMEOUT');
    expect(toMysqlFault(new ConnectionUnavailableError('none')).code).to.equal('QRY_UNAVAILABLE');
  });

  const OUTCOME = 'Whether the last statement took effect is not known.';
  for (const [title, error, asked, unknown] of [
    ['a lost connection after a write', failure(2013), 'unknown', true],
    ['a lost connection after a read', failure(2013), 'none', false],
    ['a server that rejects all connections', failure(1040), 'unknown', false],
    ['no free connection', new ConnectionUnavailableError('none'), 'unknown', false],
    ['no free connection because of the network', new ConnectionUnavailableError('connection lost'), 'unknown', false],
    ['a duplicate value', failure(1062), 'unknown', false],
  ] as const) {
    it(`have an ${unknown ? 'unknown' : 'known'} outcome after ${title}`, () => {
      const found = toMysqlFault(error, asked);
      expect(found.params).to.deep.equal(unknown ? { outcome: OUTCOME } : {});
      expect(found.options.retryable ?? false).to.equal(found.code === 'QRY_UNAVAILABLE' && !unknown);
    });
  }

  it('describe what is wrong with columns', () => {
    const failed = { columns: ['a', 'b/c'], word: null };
    const detail = (number: number) => toMysqlFault(failure(number), 'none', failed).options.issues;
    expect(detail(1062)).to.deep.equal([
      { pointer: '/a', code: 'QRY_UNIQUE', detail: 'is taken already' },
      { pointer: '/b~1c', code: 'QRY_UNIQUE', detail: 'is taken already' },
    ]);
    expect(detail(1064)?.[0]?.detail).to.equal('was refused');
    expect(toMysqlFault(failure(1062)).options.issues).to.equal(undefined);
  });
});

describe('lost MySQL connections', () => {
  for (const code of [
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ERR_STREAM_DESTROYED',
    'ERR_SOCKET_CLOSED',
    'PROTOCOL_CONNECTION_LOST',
    'HANDSHAKE_SSL_ERROR',
  ]) {
    it(code, () => expect(isMysqlConnectionLost({ code })).to.equal(true));
  }
  for (const message of ['in closed state', 'Connection lost: ...', 'Malformed packet']) {
    it(message, () => expect(isMysqlConnectionLost({ message })).to.equal(true));
  }
  it('include a response that timed out', () => expect(isMysqlConnectionLost(new OverdueError('late'))).to.equal(true));
  it('include what the driver calls fatal', () => {
    expect([
      isMysqlConnectionLost({ fatal: true }),
      isMysqlConnectionLost({ fatal: 1 }),
      isMysqlConnectionLost({ fatal: false }),
    ]).to.deep.equal([true, false, false]);
  });
  it('are decided by the number of the server before the name', () => {
    expect(isMysqlConnectionLost({ errno: 1064, code: 'ECONNRESET', fatal: true })).to.equal(false);
    expect(isMysqlConnectionLost({ errno: -104, code: 'ECONNRESET' })).to.equal(true);
  });
  for (const other of [{ code: 'XECONNRESET' }, { code: 'ER_EPIPE' }, { message: 'too long' }, {}, null, 'EPIPE', 7]) {
    it(`do not include ${JSON.stringify(other)}`, () => expect(isMysqlConnectionLost(other)).to.equal(false));
  }
  it('are detected by number and name in any thrown value', () => {
    expect([{ errno: 7 }, { errno: 0 }, { errno: -3 }, { errno: '7' }, {}, null, 'x'].map(getErrno)).to.deep.equal([
      7, 0, 0, 0, 0, 0, 0,
    ]);
    expect([{ code: 'A' }, { code: 1 }, null].map(getErrorCode)).to.deep.equal(['A', '', '']);
  });
});

describe('names in MySQL messages', () => {
  const reference = 'FOREIGN KEY (`a`, `b`) REFERENCES `u` (`x`, `y`)';
  for (const [number, message, named] of [
    [1062, `Duplicate entry 'x' for key 't.name'`, { key: { table: 't', name: 'name' } }],
    [1062, `Duplicate entry 'x' for key 'name'`, { key: { table: null, name: 'name' } }],
    [1062, `Duplicate entry ' for key 'a.b'' for key 't.PRIMARY'`, { key: { table: 't', name: 'PRIMARY' } }],
    [1062, `Duplicate entry ' for key 'a'x`, {}],
    [1062, 'doppelt', {}],
    [1451, `Cannot delete: a foreign key fails (CONSTRAINT \`f\` ${reference})`, { columns: ['a', 'b'] }],
    [1452, 'Cannot add: FOREIGN KEY ("a") REFERENCES "u" ("x")', { columns: ['a'] }],
    [1452, 'fehlt', { columns: [] }],
    [1048, `Column 'a' cannot be null`, { columns: ['a'] }],
    [1364, `Field 'b' doesn't have a default value`, { columns: ['b'] }],
    [1364, 'fehlt', { columns: [] }],
    [1406, `Data too long for column 'a' at row 1`, { columns: ['a'] }],
    [1406, 'Data too long for column `d`.`t`.`a` at row 1', { columns: ['a'] }],
    [1406, 'Data too long for column "d"."t"."a" at row 1', { columns: ['a'] }],
    [3819, `Check constraint 't_a_length' is violated.`, { check: 't_a_length' }],
    [3819, 'verletzt', {}],
    [4025, 'CONSTRAINT `t_a_length` failed for `d`.`t`', { check: 't_a_length' }],
    [4025, 'CONSTRAINT "t_a_length" failed for "d"."t"', { check: 't_a_length' }],
    [1366, `Incorrect value for column 'a' at row 1`, {}],
    [1064, `Column 'a' CONSTRAINT \`c\` failed, 'x' is violated for key 'k'`, {}],
  ] as const) {
    it(`${number}: ${message}`, () => expect(parseErrorNames(failure(number, message))).to.deep.equal(named));
  }
  it('are absent without a message', () => {
    expect([parseErrorNames({ errno: 1062 }), parseErrorNames(null)]).to.deep.equal([{}, {}]);
  });
});

describe('MySQL connection that cannot be opened', () => {
  for (const [error, reason, retryable] of [
    [{ errno: 1040 }, 'the server has too many connections', true],
    [{ errno: 1044 }, 'login refused by the server', false],
    [{ errno: 1045 }, 'user name or password refused', false],
    [{ errno: 1049 }, 'the database does not exist', false],
    [{ errno: 1053 }, 'the server is starting up or shutting down', true],
    [{ errno: 1698 }, 'user name or password refused', false],
    [{ errno: 1045, fatal: true, code: 'ECONNRESET' }, 'user name or password refused', false],
    [{ errno: 2013 }, 'the connection failed', true],
    [{ errno: 11045 }, 'the connection failed', false],
    [{ errno: 10400 }, 'the connection failed', false],
    [{ code: 'ECONNREFUSED' }, 'nothing listens at this address', true],
    [{ code: 'HANDSHAKE_NO_SSL_SUPPORT' }, 'the server does not offer an encrypted connection', true],
    [{ code: 'SEQUENCE_TIMEOUT' }, 'no answer in time', false],
    [{ code: 'constructor' }, 'the connection failed', false],
    [{ code: 'ER_OTHER' }, 'the connection failed', false],
  ] as const) {
    it(`${JSON.stringify(error)}: ${reason}`, () => {
      const found = createMysqlConnectFault('main', error);
      expect(found.code).to.equal('QRY_CONNECT');
      expect(found.params).to.deep.equal({ instance: 'main', reason });
      expect(found.options).to.deep.equal({ cause: error, retryable });
    });
  }
  it('passes on a fault, and reports an invalid URL', () => {
    const one = createFault('QRY_CHECK');
    expect(createMysqlConnectFault('main', one)).to.equal(one);
    expect(createMysqlAddressFault('main').params).to.deep.equal({
      instance: 'main',
      reason: 'the address is not valid',
    });
  });
});
