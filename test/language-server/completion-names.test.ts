/** Completion of names that other definitions declare, over the protocol. */
import { expect } from 'chai';
import { openEditor, type Editor } from '../support/editor-pair.js';

const FILE = 'definitions/a.resource.json';
const FILES = {
  'lintel.config.json':
    '{ "connections": { "main": { "use": "pglite" }, "reports": { "use": "pglite", "path": "memory://" } } }',
  'definitions/_users.model.json':
    '{ "id": { "type": "String", "primary_key": true }, "email": { "type": "String" }, "balance": { "type": "Number" } }',
  'definitions/other.resource.json': JSON.stringify([
    {
      id: 'other-01',
      resource: 'other',
      tokenize: { type: 'JWT', encryption_key: '$ENV.KEY', custom_claim_fields: ['role'] },
      protected: { extract_claims: ['tenant'] },
      actionables: [
        {
          id: 7,
          mode: 'QUERY',
          sql_query: { query: 'SELECT email, balance FROM users WHERE id = $1', parameters: ['$PROTECTED.tenant'] },
        },
        { id: 8, mode: 'RETURN', value: '$HEADER.x-house' },
      ],
    },
  ]),
  '.env.example': 'JWT_KEY=\nSMTP_URL=\n',
};

const RESOURCE = (text: string, head = ''): string =>
  `{ "id": "a-01", "resource": "a/:slug", ${head}"actionables": [
    { "id": 1, "mode": "QUERY", "payload_validation": [{ "field": { "email": { "type": "EMAIL" }, "address": { "type": "OBJECT", "fields": { "city": { "type": "STRING" } } } } }],
      "generate": { "generate": "ULID", "for": "new_id" },
      "sql_query": { "query": "SELECT id, balance FROM users WHERE email = $1", "parameters": ["email"] } },
    { "id": 2, ${text} }
  ] }`;

describe('language server: completion of names in a project', () => {
  let editor: Editor;
  const labels = async (text: string, name = FILE): Promise<readonly string[]> =>
    (await editor.requestCompletion(name, text)).labels;
  before(async () => {
    editor = await openEditor({ files: FILES });
  });
  after(() => editor.close());

  it('offers resources, and the actionables of the resource named next to them', async () => {
    const resources = await editor.requestCompletion(FILE, RESOURCE('"depends_on": [{ "resource_id": "‸" }]'));
    expect(resources.labels).to.include.members(['self', 'other-01']);
    expect(resources.accept('other-01')).to.equal(RESOURCE('"depends_on": [{ "resource_id": "other-01" }]'));
    const own = await editor.requestCompletion(
      FILE,
      RESOURCE('"depends_on": [{ "resource_id": "self", "action_ids": [‸] }]'),
    );
    expect(own.items.find(({ label }) => label === '1')?.detail).to.equal(
      'QUERY · SELECT id, balance FROM users WHERE email = $1',
    );
    expect(own.labels).not.to.include('2');
    expect(own.accept('1')).to.equal(RESOURCE('"depends_on": [{ "resource_id": "self", "action_ids": [1] }]'));
    const theirs = await labels(RESOURCE('"depends_on": [{ "resource_id": "other-01", "action_ids": [‸] }]'));
    expect(theirs).to.include.members(['7', '8']).and.not.include('2');
  });

  it("offers the names of a dependency's result", async () => {
    const text =
      '"depends_on": [{ "resource_id": "other-01", "action_ids": [7], "extract_response_for": [{ "extract": "‸" }] }]';
    expect(await labels(RESOURCE(text)))
      .to.include.members(['email', 'balance'])
      .and.not.include('id');
  });

  it('offers the names that can be returned', async () => {
    const text = RESOURCE('"mode": "RETURN", "value": 1', '"returnables": ["‸"], ');
    editor.open(FILE, text);
    await editor.diagnostics(FILE);
    expect(await labels(text)).to.include.members(['id', 'balance', 'new_id']);
  });

  it('offers every name that is allowed as a parameter', async () => {
    const found = await editor.requestCompletion(
      FILE,
      RESOURCE('"mode": "QUERY", "sql_query": { "query": "SELECT $1", "parameters": [‸] }'),
    );
    expect(found.labels).to.include.members(['email', 'address', 'slug', 'new_id', '$PAYLOAD.email', '$DATETIME']);
    expect(found.accept('email')).to.include('"parameters": ["email"]');
    expect(found.accept('$ENV')).to.include('"parameters": ["$ENV.‸"]');
    expect(found.items.find(({ label }) => label === 'email')?.detail).to.equal('payload · {"type":"EMAIL"}');
  });

  it('offers names of the uploaded file after an upload, and the form of a value', async () => {
    const formatAfterUpload = (parameters: string): string =>
      RESOURCE(`"mode": "UPLOAD", "uploads": {} },
    { "id": 3, "mode": "QUERY", "sql_query": { "query": "SELECT $1", "parameters": [${parameters}] }`);
    expect(await labels(formatAfterUpload('"‸"'))).to.include.members(['url', 'storage_key', 'email', 'new_id']);
    const before = RESOURCE('"mode": "QUERY", "sql_query": { "query": "SELECT $1", "parameters": ["‸"] }');
    expect(await labels(before)).not.to.include('url');
    expect(await labels(formatAfterUpload('{ ‸ }'))).to.include('literal');
  });

  it('offers fields without a rule as names of rules', async () => {
    const text = RESOURCE(
      '"mode": "RETURN", "value": "$PAYLOAD.nickname $PAYLOAD.email", "payload_validation": [{ "field": { "‸" } }]',
    );
    const found = await editor.requestCompletion(FILE, text);
    expect(found.labels).to.include('nickname').and.not.include('email');
    expect(found.accept('nickname')).to.include('"field": { "nickname": { "type": ');
  });

  it('offers models and their fields', async () => {
    const model = 'definitions/_notes.model.json';
    expect(await labels('{ "owner": { "type": "String", "foreign_key": { "of": "‸" } } }', model)).to.include('_users');
    const key = await editor.requestCompletion(
      model,
      '{ "owner": { "type": "String", "foreign_key": { "of": "_users", "key": ‸ } } }',
    );
    expect(key.labels).to.include.members(['id', 'email']);
    expect(key.accept('email')).to.equal(
      '{ "owner": { "type": "String", "foreign_key": { "of": "_users", "key": "email" } } }',
    );
  });

  it('offers the settings of a model next to its fields', async () => {
    const model = 'definitions/_notes.model.json';
    const text = (beside: string): string =>
      `{ "owner": { "type": "String" }, "title": { "type": "String" }, ${beside} }`;
    const keys = await editor.requestCompletion(model, text('‸'));
    expect(keys.labels).to.include.members(['unique', 'connection', 'new String']);
    expect(keys.accept('connection')).to.equal(text('"connection": "reports"'));
    const fields = await editor.requestCompletion(model, text('"unique": [["owner", "‸"]]'));
    expect(fields.accept('title')).to.equal(text('"unique": [["owner", "title"]]'));
    expect(await labels(text('"connection": ‸'), model)).to.include.members(['main', 'reports']);
    const isField = await labels(text('"unique": { ‸ }'), model);
    expect(isField).to.include('type');
  });

  it('offers collections, and fields as keys', async () => {
    const query = (text: string): string => RESOURCE(`"mode": "QUERY", "mongo_query": { "action": "FETCH", ${text} }`);
    expect(await labels(query('"collection": "‸"'))).to.include('_users');
    const filter = await editor.requestCompletion(
      FILE,
      query('"collection": "users", "filter_predicate": { "$or": [{ ‸ }] }'),
    );
    expect(filter.labels).to.include.members(['id', 'email', 'balance']);
    expect(filter.accept('email')).to.include('"$or": [{ "email": ‸ }]');
    expect(await labels(query('"collection": "users", "sort": { "‸" }'))).to.include('balance');
  });

  it('offers connections of the config', async () => {
    const text = RESOURCE('"mode": "QUERY", "sql_query": { "query": "SELECT 1", "connection": "‸" }');
    expect(await labels(text)).to.include.members(['main', 'reports']);
  });

  it('offers claims, headers, media types, described schedules, and zones', async () => {
    expect(
      await labels('{ "id": "c", "resource": "c", "protected": { "extract_claims": ["‸"] }, "actionables": [] }'),
    ).to.include('tenant');
    const declared = '"extract_claims": ["id", "‸"]';
    expect(await labels(`{ "id": "c", "resource": "c", "protected": { ${declared} }, "actionables": [] }`))
      .to.include('role')
      .and.not.to.include('id');
    const call = (text: string): string =>
      RESOURCE(`"mode": "HTTPREQUEST", "http": { "url": "https://a.example", "headers": { ${text} } }`);
    expect(await labels(call('‸'))).to.include.members(['authorization', 'content-type', 'x-house']);
    expect(await labels(RESOURCE('"mode": "UPLOAD", "uploads": { "allowed_mimetypes": ["‸"] }'))).to.include.members([
      'image/*',
      'application/pdf',
    ]);
    const cron = await editor.requestCompletion(FILE, RESOURCE('"cron_job": { "execution_interval": ‸ }'));
    expect(cron.items.find(({ label }) => label === '0 0 3 * * *')?.detail).to.equal('at 03:00 (UTC)');
    expect(await labels(RESOURCE('"cron_job": { "time_zone": "‸" }'))).to.include('Europe/Berlin');
  });
});
