/**
 * `string.text` and `string.sql`: a text through a running service, with PGlite and the embedded document store. The
 * first case starts the service, which runs as long as the command; `closeStrings` ends it.
 */
import bcrypt from 'bcrypt';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { readTextInput, type Ops, type Outcome } from './ops.js';

const text = [{ field: { text: { type: 'STRING' } } }];
const seal = (operation: string): object => ({
  operation,
  properties: ['sealed'],
  algorithm: 'XChaCha20Poly1305',
  options: { key: '$ENV.FIELD_KEY', aad: '$PAYLOAD.text' },
});
const query = (id: number, statement: string, parameters: readonly string[], more: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query: statement, parameters },
  ...more,
});
const defineDocumentAction = (id: number, mongo_query: object, more: object = {}): object => ({
  id,
  mode: 'QUERY',
  mongo_query: { collection: '_paper', ...mongo_query },
  payload_validation: text,
  returnables: ['text'],
  ...more,
});
const defineResource = (id: string, action: object, more: object = {}): object => ({
  id,
  resource: id,
  actionables: [action],
  ...more,
});

const DEFINITIONS = [
  {
    _text: {
      id: { type: 'String', primary_key: true },
      text: { type: 'String' },
      sealed: { type: 'String', optional: true },
    },
  },
  { _paper: { text: { type: 'String' } } },
  { _member: { id: { type: 'String', primary_key: true }, email: { type: 'String' }, password: { type: 'String' } } },
  defineResource(
    'put',
    query(
      1,
      'INSERT INTO _text (id, text, sealed) VALUES ($1, $2, $3) RETURNING id, text',
      ['$GENERATOR.ULID', 'text', 'sealed'],
      {
        payload_validation: [...text, { field: { sealed: { type: 'STRING' } } }],
        ciphers: [seal('Encrypt')],
        returnables: ['id', 'text'],
      },
    ),
  ),
  defineResource(
    'change',
    query(1, 'UPDATE _text SET text = $1 WHERE id = $2 AND text = $1 RETURNING id, text', ['text', 'id'], {
      payload_validation: [...text, { field: { id: { type: 'STRING' } } }],
      returnables: ['id', 'text'],
    }),
  ),
  defineResource(
    'get',
    query(1, 'SELECT text, sealed FROM _text WHERE text = $1 AND id = $2', ['text', 'id'], {
      payload_validation: [...text, { field: { id: { type: 'STRING' } } }],
      ciphers: [seal('Decrypt')],
      returnables: ['text', 'sealed'],
    }),
  ),
  defineResource(
    'kept',
    query(1, 'SELECT $1::text AS text, gen_random_uuid()::text AS made', ['text'], {
      payload_validation: text,
      returnables: ['text', 'made'],
    }),
    { cacheable: { read_from_cache: true, cache_key: 'text $PAYLOAD.text', duration: 600 } },
  ),
  defineResource('file', defineDocumentAction(1, { action: 'INSERT', document: { text: '$PAYLOAD.text' } })),
  defineResource(
    'files',
    defineDocumentAction(1, { action: 'FETCH', filter_predicate: { text: '$PAYLOAD.text' } }, { result: 'many' }),
  ),
  defineResource(
    'unfile',
    defineDocumentAction(1, { action: 'DELETE', filter_predicate: { text: '$PAYLOAD.text' } }, { result: 'many' }),
  ),
  defineResource('count', query(1, 'SELECT count(*)::int AS texts FROM _text', [], { returnables: ['texts'] })),
  defineResource(
    'sign-in',
    query(1, 'SELECT id, password FROM _member WHERE email = $1', ['email'], {
      payload_validation: [{ field: { email: { type: 'STRING' }, password: { type: 'STRING' } } }],
      verify_hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
    }),
    { tokenize: { type: 'JWT', encryption_key: '$ENV.TOKEN_KEY', custom_claim_fields: ['id'] }, returnables: ['id'] },
  ),
  defineResource(
    'join',
    query(
      1,
      'INSERT INTO _member (id, email, password) VALUES ($1, $2, $3) RETURNING id',
      ['$GENERATOR.ULID', 'email', 'password'],
      {
        payload_validation: [{ field: { email: { type: 'STRING' }, password: { type: 'STRING' } } }],
        returnables: ['id'],
      },
    ),
  ),
];

let running: Promise<TestKernel> | null = null;

async function start(): Promise<TestKernel> {
  const kernel = await startKernel({
    files: { 'definitions/a.json': DEFINITIONS },
    config: { connections: { main: { use: 'pglite', path: 'memory://' } }, documents: { main: { use: 'embedded' } } },
    env: { FIELD_KEY: 'k3Zr5Tq9Wm2Xc7Vb4Nk8Lp3Jh6Gf1Ds0', TOKEN_KEY: 'w3Xp8Lq2Rt6Vz9Bn4Mk7Hs5Jd1Fg0CyQ8uE2aT6' },
  });
  await kernel.post('/join', { email: 'ada', password: bcrypt.hashSync('correct horse', 4) });
  return kernel;
}

export const closeStrings = async (): Promise<void> => {
  const kernel = await running;
  running = null;
  await kernel?.close();
};

async function postChecked(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  running ??= start();
  const answer = await (await running).post(path, body);
  if (answer.status !== 200) throw new RequestRejection(`${path} ${answer.status} ${String(answer.body['code'])}`);
  return answer.body;
}
const postForRows = async (path: string, body: object): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  (await postChecked(path, body)) as unknown as readonly Readonly<Record<string, unknown>>[];
class RequestRejection extends Error {}

/** Stored, found, changed by equality, as the name of a cached value, and as additional data of an encrypted value. */
async function storeAndReadBack(written: string): Promise<Outcome> {
  const sealed = 'canary';
  const before = await postChecked('/count', {});
  const { id, text: stored } = await postChecked('/put', { text: written, sealed });
  const changed = await postChecked('/change', { text: written, id });
  const found = await postChecked('/get', { text: written, id });
  const first = await postChecked('/kept', { text: written });
  const again = await postChecked('/kept', { text: written });
  const filed = await postChecked('/file', { text: written });
  const papers = [await postForRows('/files', { text: written }), await postForRows('/unfile', { text: written })];
  const after = await postChecked('/count', {});
  const ways = [stored, changed['text'], found['text'], first['text'], again['text'], filed['text']];
  const wrong = ways.find((way) => way !== written);
  if (wrong !== undefined) return { ok: false, out: wrong, error: 'another text came back' };
  for (const paper of papers)
    if (paper.length !== 1 || paper[0]?.['text'] !== written) return { ok: false, error: 'other documents' };
  if (found['sealed'] !== sealed) return { ok: false, error: 'bound to another text' };
  if (first['made'] !== again['made']) return { ok: false, error: 'kept under another name' };
  if (Number(after['texts']) !== Number(before['texts']) + 1) return { ok: false, error: 'another number of rows' };
  return { ok: true, out: written };
}

/** True would be a token. */
async function signIn(written: string): Promise<Outcome> {
  const tries = [
    { email: written, password: written },
    { email: 'ada', password: written },
    { email: written, password: 'correct horse' },
  ];
  for (const body of tries) {
    const token = await postChecked('/sign-in', body).catch((error: unknown) => {
      if (error instanceof RequestRejection && / 4\d\d /.test(error.message)) return null;
      throw error;
    });
    if (token !== null) return { ok: true, out: 'a token' };
  }
  return { ok: false, error: 'no token' };
}

async function catchRejection(work: Promise<Outcome>): Promise<Outcome> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RequestRejection) return { ok: false, error: error.message };
    throw error;
  }
}

export const ops: Ops = {
  'string.text': (input) => catchRejection(storeAndReadBack(readTextInput(input, 'text'))),
  'string.sql': (input) =>
    catchRejection(
      input['use'] === 'signin' ? signIn(readTextInput(input, 'text')) : storeAndReadBack(readTextInput(input, 'text')),
    ),
};
