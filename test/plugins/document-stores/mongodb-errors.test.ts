/** Errors of the MongoDB driver: codes, fields, whether to retry, and the rules that a document violates. */
import { expect } from 'chai';
import { createFault } from '../../../contract/fault.js';
import { createMongoConnectFault } from '../../../plugins/document-stores/mongodb/connection.js';
import {
  isMongoConnectionLost,
  isMongoRetryable,
  isSelection,
  isUnsent,
  findNetworkCode,
  getErrorNumber,
  toMongoFault,
  withUpdateFault,
  parseViolations,
} from '../../../plugins/document-stores/mongodb/errors.js';

const createNamedError = (name: string, more: object = {}): Error =>
  Object.assign(new Error('a value'), { name }, more);
const createServerError = (code: number, more: object = {}): Error =>
  createNamedError('MongoServerError', { code, ...more });

describe('driver errors', () => {
  for (const [code, numbers] of [
    ['QRY_UNIQUE', [11000, 11001, 12582]],
    ['QRY_SERIALIZATION', [112, 24, 251, 246]],
    ['QRY_TIMEOUT', [50, 262]],
    ['QRY_BAD_VALUE', [14, 28, 241, 10334, 17280, 17419, 17420, 51091]],
    ['QRY_UNAVAILABLE', [6, 7, 64, 89, 91, 100, 133, 189, 9001, 10058, 10107, 11600, 11602, 13435, 13436]],
    ['QRY_CHECK', [121]],
    ['QRY_FAILED', [1, 2, 9, 13, 40324]],
  ] as const)
    it(`with the numbers ${numbers.join(', ')} are ${code}`, () => {
      for (const number of numbers) expect(toMongoFault(createServerError(number)).code, String(number)).to.equal(code);
    });

  const LOST = [
    'MongoNetworkError',
    'MongoNetworkTimeoutError',
    'MongoServerSelectionError',
    'MongoNotConnectedError',
    'MongoWaitQueueTimeoutError',
    'MongoPoolClearedError',
    'MongoPoolClosedError',
    'MongoServerClosedError',
    'MongoTopologyClosedError',
    'MongoClientClosedError',
    'MongoStalePrimaryError',
    'MongoOperationTimeoutError',
  ];
  const UNSENT = [
    'MongoNotConnectedError',
    'MongoWaitQueueTimeoutError',
    'MongoPoolClearedError',
    'MongoPoolClosedError',
    'MongoTopologyClosedError',
    'MongoClientClosedError',
  ];

  it('without a connection have these names', () => {
    for (const name of LOST) {
      expect(toMongoFault(createNamedError(name)).code, name).to.equal('QRY_UNAVAILABLE');
      expect(isUnsent(createNamedError(name)), name).to.equal(UNSENT.includes(name));
      expect(isSelection(createNamedError(name)), name).to.equal(name === 'MongoServerSelectionError');
      expect(isMongoConnectionLost(createNamedError(name, { code: 1 })), name).to.equal(false);
    }
    for (const code of [
      'ECONNREFUSED',
      'EPIPE',
      'ETIMEDOUT',
      'EHOSTUNREACH',
      'ENETDOWN',
      'ENOTFOUND',
      'EAI_AGAIN',
      'ERR_STREAM_DESTROYED',
      'ERR_SOCKET_CLOSED',
    ])
      expect(toMongoFault(createNamedError('Error', { cause: { code } })).code, code).to.equal('QRY_UNAVAILABLE');
    for (const code of ['EACCES', 'XECONN', 'ERR_INVALID_ARG_TYPE'])
      expect(toMongoFault(createNamedError('Error', { code })).code, code).to.equal('QRY_FAILED');
  });

  it('about values that BSON cannot represent are QRY_BAD_VALUE', () => {
    for (const name of ['BSONError', 'BSONVersionError', 'RangeError'])
      expect(toMongoFault(createNamedError(name)).code).to.equal('QRY_BAD_VALUE');
    for (const name of ['MyRangeError', 'RangeErrors', 'NoBSON', 'TypeError'])
      expect(toMongoFault(createNamedError(name)).code, name).to.equal('QRY_FAILED');
  });

  it('state whether to retry, and when', () => {
    const summarizeFault = (error: unknown, sent?: boolean): unknown => {
      const { code, params, options } = toMongoFault(error, sent);
      return [code, options.retryable === true, options.headers?.['retry-after'] ?? null, 'outcome' in params];
    };
    const transient = { errorLabelSet: new Set(['TransientTransactionError']) };
    expect(summarizeFault(createServerError(112))).to.deep.equal(['QRY_SERIALIZATION', true, null, false]);
    expect(summarizeFault(createServerError(5, transient))).to.deep.equal(['QRY_SERIALIZATION', true, null, false]);
    expect(summarizeFault(createServerError(50))).to.deep.equal(['QRY_TIMEOUT', false, '1', false]);
    expect(summarizeFault(createServerError(6))).to.deep.equal(['QRY_UNAVAILABLE', true, '1', false]);
    expect(summarizeFault(createServerError(6), true)).to.deep.equal(['QRY_UNAVAILABLE', false, null, true]);
    expect(summarizeFault(createServerError(11000), true)).to.deep.equal(['QRY_UNIQUE', false, null, false]);
    expect(isMongoRetryable(toMongoFault(createServerError(112)))).to.equal(true);
    expect([
      isMongoRetryable(toMongoFault(createServerError(6))),
      isMongoRetryable(createServerError(112)),
    ]).to.deep.equal([false, false]);
  });

  it('contain no text of the server: number, name and code of the platform only', () => {
    const cause = toMongoFault(createServerError(11000, { codeName: 'DuplicateKey' })).options.cause as Error;
    expect([cause.name, cause.message]).to.deep.equal([
      'DatabaseError',
      'database error MongoServerError DuplicateKey',
    ]);
    expect((toMongoFault(createNamedError('X', { cause: { code: 'EPIPE' } })).options.cause as Error).message).to.equal(
      'database error X EPIPE',
    );
    expect((toMongoFault(null).options.cause as Error).message).to.equal('database error ');
    expect((toMongoFault(createServerError(7)).options.cause as Error).message).to.equal(
      'database error MongoServerError 7',
    );
  });

  it('name the fields that are duplicates, and those that violate a rule', () => {
    const places = (error: unknown): unknown =>
      toMongoFault(error).options.issues?.map(({ pointer, code }) => `${code} ${pointer}`);
    expect(places(createServerError(11000, { keyPattern: { 'a.b/c': 1, d: 1 } }))).to.deep.equal([
      'QRY_UNIQUE /a/b~1c',
      'QRY_UNIQUE /d',
    ]);
    expect(places(createServerError(11000))).to.equal(undefined);
    expect(places(createServerError(11000, { keyPattern: 'ab' }))).to.equal(undefined);
    const [first] = toMongoFault(createServerError(11000, { keyPattern: { a: 1 } })).options.issues ?? [];
    expect(first?.detail).to.equal('is taken already');
    expect(places(createServerError(11000, { keyPattern: null }))).to.equal(undefined);
    expect(places(createServerError(112, { keyPattern: { a: 1 } }))).to.equal(undefined);
    const rules = [{ operatorName: 'required', missingProperties: ['a', 5] }];
    expect(places(createServerError(121, { errInfo: { details: { schemaRulesNotSatisfied: rules } } }))).to.deep.equal([
      'QRY_NOT_NULL /a',
    ]);
  });

  it('are passed on if they are faults or bad values in an update', async () => {
    const own = createFault('QRY_TIMEOUT', {});
    expect(toMongoFault(own)).to.equal(own);
    const catchUpdateFault = (code: number): Promise<unknown> =>
      withUpdateFault(Promise.reject(createServerError(code))).catch((error: unknown) => error);
    expect(await catchUpdateFault(2)).to.have.property('code', 'QRY_BAD_VALUE');
    expect(await catchUpdateFault(3)).to.have.property('code', 3);
    expect(await withUpdateFault(Promise.resolve(5))).to.equal(5);
  });

  it('have the code of the platform up to five causes down', () => {
    const below = (depth: number): unknown => (depth === 0 ? { code: 'EPIPE' } : { code: 7, cause: below(depth - 1) });
    expect([
      findNetworkCode(below(0)),
      findNetworkCode(below(4)),
      findNetworkCode(below(5)),
      findNetworkCode(null),
    ]).to.deep.equal(['EPIPE', 'EPIPE', '', '']);
  });

  for (const [error, reason, again] of [
    [createServerError(18), 'user name or password refused', false],
    [createServerError(8000), 'user name or password refused', false],
    [createServerError(13), 'the user may not use this database, or the server wants a login', false],
    [createNamedError('MongoParseError'), 'the address is not valid', false],
    [createNamedError('MongoInvalidArgumentError'), 'the address is not valid', false],
    [createNamedError('MongoMissingCredentialsError'), 'the address is not valid', false],
    [createNamedError('MongoCompatibilityError'), 'the server is too old for the driver', false],
    [createNamedError('MongoServerSelectionError'), 'no answer in time', true],
    [createNamedError('Error'), 'the connection failed', false],
    ...[6, 7, 89, 91, 189, 9001, 10107, 11600, 11602, 13435, 13436].map(
      (code) => [createServerError(code), 'the connection failed', true] as const,
    ),
    [createServerError(59), 'the connection failed', false],
  ] as const)
    it(`at startup: ${error.name} ${getErrorNumber(error) ?? ''} is reported as "${reason}"`, () => {
      const { code, params, options } = createMongoConnectFault('main', error);
      expect([code, params, options.retryable]).to.deep.equal(['QRY_CONNECT', { instance: 'main', reason }, again]);
    });
});

describe('rules that a document violates, as the server reports them', () => {
  const formatViolations = (rules: unknown): string[] =>
    parseViolations({ details: { schemaRulesNotSatisfied: rules } }).map(
      ({ path, code }) => `${code} ${path.join('/')}`,
    );

  it('are listed with the path of each, missing fields first, and each path once', () => {
    const rules = [
      {
        operatorName: 'properties',
        propertiesNotSatisfied: [
          {
            propertyName: 'a',
            details: [{ operatorName: 'maxLength' }, { operatorName: 'bsonType', consideredType: 'int' }],
          },
          { propertyName: 'b', details: [{ operatorName: 'multipleOf' }] },
          { propertyName: 'c', details: [{ operatorName: 'bsonType', consideredType: 'null' }] },
          {
            propertyName: 'd',
            details: [
              { operatorName: 'items', itemIndex: 2, details: [{ operatorName: 'bsonType', consideredType: 'bool' }] },
            ],
          },
          {
            propertyName: 'e',
            details: [
              {
                operatorName: 'properties',
                propertiesNotSatisfied: [{ propertyName: 'f', details: [{ operatorName: 'pattern' }] }],
              },
            ],
          },
          null,
        ],
      },
      { operatorName: 'required', missingProperties: ['g'] },
      'x',
    ];
    expect(formatViolations(rules)).to.deep.equal([
      'QRY_NOT_NULL c',
      'QRY_NOT_NULL g',
      'QRY_BAD_VALUE a',
      'QRY_BAD_VALUE b',
      'QRY_BAD_VALUE d/2',
      'QRY_CHECK e/f',
    ]);
  });

  it('are empty if the server reports nothing known', () => {
    for (const rules of [undefined, null, 'x', {}]) expect(formatViolations(rules)).to.deep.equal([]);
    for (const info of [undefined, null, 'x', {}, { details: null }]) expect(parseViolations(info)).to.deep.equal([]);
    expect(formatViolations([{ operatorName: 'required', missingProperties: 'x' }])).to.deep.equal([]);
  });
});
