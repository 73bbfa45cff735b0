/** Jobs read from a store that other programs can write to, problem documents, and jobs that a request enqueues. */
import { expect } from 'chai';
import { createFault } from '../../../contract/fault.js';
import type { PartPlan } from '../../../contract/resource-plan.js';
import { groupJobs } from '../../../plugins/triggers/deferred-work/runner.js';
import { createErrorResponse } from '../../../language/problems/problem-details.js';
import { isDeferredJob } from '../../../contract/stored-jobs.js';
import { createTestInvocation } from '../../support/invocation.js';
import { createTestFrame } from '../../support/scopes.js';

const STATE = { payload: {}, claims: null, headers: {}, remote: '', names: {}, results: {}, made: [] };
const WORK = { id: 'i', resource: 'r', part: 'p', version: 'v', needs: ['n'], acceptedAt: 5, state: STATE };
const poison = (text: string): unknown => JSON.parse(`{"a":[{"${text}":1}]}`);

describe('jobs read from a store', () => {
  const fine: readonly object[] = [
    {},
    { id: 'x'.repeat(1024), acceptedAt: 8.64e15 },
    { acceptedAt: -8.64e15 },
    { state: { ...STATE, payload: [1] } },
    {
      state: {
        ...STATE,
        claims: { a: [null] },
        headers: { a: 'b' },
        made: [
          [0, 'a'],
          [1, 2],
        ],
      },
    },
    { state: { ...STATE, names: poison('constructor'), results: poison('__proto__') } },
    { state: { ...STATE, payload: ['constructor'] } },
  ];
  it('are returned as they were stored', () => {
    for (const rest of fine)
      expect(isDeferredJob({ ...WORK, ...rest }), JSON.stringify(rest).slice(0, 80)).to.equal(true);
  });

  const wrong: readonly (readonly [string, unknown])[] = [
    ...['id', 'resource', 'part', 'version', 'needs'].map(
      (name) => [`${name} is no text`, { ...WORK, [name]: 5 }] as const,
    ),
    ...Object.keys(WORK).map((name) => [`${name} is missing`, { ...WORK, [name]: undefined }] as const),
    ...Object.keys(STATE).map(
      (name) => [`${name} of the state is missing`, { ...WORK, state: { ...STATE, [name]: undefined } }] as const,
    ),
    ...['names', 'results', 'headers', 'claims'].map(
      (name) => [`${name} is a list`, { ...WORK, state: { ...STATE, [name]: [] } }] as const,
    ),
    ['it is null', null],
    ['it is a list', [WORK]],
    ['its id is too long', { ...WORK, id: 'x'.repeat(1025) }],
    ...['\n', '\u0000', '\u001f', '\u007f'].map(
      (text) => ['its id has a control character', { ...WORK, id: `a${text}` }] as const,
    ),
    ['its instant is no date', { ...WORK, acceptedAt: 8.64e15 + 2 }],
    ['its instant is no number', { ...WORK, acceptedAt: NaN }],
    ['its instant is text', { ...WORK, acceptedAt: '5' }],
    ...[null, 'x', 5].map(
      (payload) => ['its payload is no object', { ...WORK, state: { ...STATE, payload } }] as const,
    ),
    ['a header is no text', { ...WORK, state: { ...STATE, headers: { a: 'b', c: ['d'] } } }],
    ['its address is no text', { ...WORK, state: { ...STATE, remote: null } }],
    ...[{}, [5], [[1]], [[1, 'a', 2]], [[1.5, 'a']], [[1, null]], [[1, 'a'], [2]]].map(
      (made) => [`made is ${JSON.stringify(made)}`, { ...WORK, state: { ...STATE, made } }] as const,
    ),
    ...['__proto__', 'constructor', 'prototype'].flatMap((name) =>
      (['payload', 'claims'] as const).map(
        (where) => [`${name} in ${where}`, { ...WORK, state: { ...STATE, [where]: poison(name) } }] as const,
      ),
    ),
    ['constructor in headers', { ...WORK, state: { ...STATE, headers: { constructor: 'a' } } }],
  ];
  for (const [title, read] of wrong) it(`are invalid if ${title}`, () => expect(isDeferredJob(read)).to.equal(false));

  it('are validated at any depth', () => {
    let payload: object = {};
    for (let i = 0; i < 20_000; i++) payload = { a: payload };
    expect(isDeferredJob({ ...WORK, state: { ...STATE, payload } })).to.equal(true);
  });
});

describe('problem documents', () => {
  const codes = {
    A_CODE: { status: 409, title: 'A title', message: 'About {name}.' },
    NO_STATUS: { title: 'x', message: 'secret words' },
  } as never;
  const of = (...given: Parameters<typeof createFault>) =>
    createErrorResponse(createFault(...given), 'id', codes, 'https://docs.example.com/');

  it('have the status and the text of the code', () => {
    const detail = 'About x.';
    expect(of('A_CODE', { name: 'x' })).to.deep.equal({
      ...{ status: 409, headers: {} },
      body: {
        ...{
          type: 'https://docs.example.com/A_CODE',
          title: 'A title',
          status: 409,
          detail,
          instance: 'urn:request:id',
        },
        ...{ code: 'A_CODE', success: false, message: detail },
      },
    });
  });

  it('have the status, texts, issues and headers that a definition or a step sets', () => {
    const issues = [{ pointer: '/a', code: 'X', detail: 'y' }];
    const { status, headers, body } = of('A_CODE', {}, { status: 418, message: 'own', issues, headers: { a: '1' } });
    expect([status, body.status, body.detail, body.message, body.errors, headers]).to.deep.equal([
      418,
      418,
      'own',
      'own',
      issues,
      { a: '1' },
    ]);
    expect(of('A_CODE', {}, { issues: [] }).body).not.to.have.property('errors');
    const lasting = Object.assign(createFault('A_CODE', {}, { headers: { a: '1' } }), {
      lastingHeaders: { a: '0', b: '2' },
    });
    expect(createErrorResponse(lasting, 'id', codes, '').headers).to.deep.equal({ a: '1', b: '2' });
  });

  it('return 500 without the message of the cause for an internal code', () => {
    for (const code of ['NO_STATUS', 'UNKNOWN']) {
      const { status, body } = of(code);
      expect([status, body.code, body.type]).to.deep.equal([
        500,
        'INT_UNEXPECTED',
        'https://docs.example.com/INT_UNEXPECTED',
      ]);
      expect(body.detail).not.to.include('secret');
    }
  });
});

describe('jobs of one request', () => {
  const part = (key: string, deferral: PartPlan['deferral']): PartPlan =>
    ({ key, deferral, work: { createJob: (id: string) => ({ id, part: key }) } }) as unknown as PartPlan;
  const [one, two] = [() => Promise.resolve(), () => Promise.resolve()];
  const settings = { delay: 1, priority: 2, retries: 3 };
  const parts = [
    part('a', { ...settings, enqueue: one }),
    part('b', null),
    part('c', { ...settings, enqueue: two }),
    part('d', { ...settings, enqueue: one }),
  ];

  it('are enqueued immediately if all go to one queue, each with its own id', () => {
    const invocation = createTestInvocation({}, { id: 'req', startedAt: 7 });
    const puts = groupJobs(parts, createTestFrame({ invocation }), {});
    expect([...puts.keys()]).to.deep.equal([one, two]);
    expect([...puts.values()].map((list) => list.map(({ work }) => work.id))).to.deep.equal([
      ['req', 'req.4'],
      ['req.3'],
    ]);
    expect(puts.get(two)).to.deep.equal([
      {
        ...settings,
        work: { id: 'req.3', part: 'c' },
      },
    ]);
  });
});
