/** Completion inside strings: accessors and what follows their roots, with the text after one is accepted. */
import { expect } from 'chai';
import { openEditor, type Editor } from '../support/editor-pair.js';

const FILE = 'definitions/a.resource.json';
const RULES =
  '"payload_validation": [{ "field": { "email": { "type": "EMAIL" }, "items": { "type": "ARRAY", "fields": { "sku": { "type": "STRING" } } }, "address": { "type": "OBJECT", "fields": { "city": { "type": "STRING" }, "zip": { "type": "STRING" } } } } }]';
const resource = (value: string): string =>
  `{ "id": "a", "resource": "a", "protected": { "extract_claims": ["id", "role"] }, "actionables": [{ "id": 1, ${RULES}, "mode": "RETURN", "value": ${value} }] }`;

describe('language server: completion inside strings', () => {
  let editor: Editor;
  before(async () => {
    editor = await openEditor({ files: { '.env.example': '# comment\nMAIL_KEY=\nexport OTHER_KEY=x\n' } });
  });
  after(() => editor.close());
  const complete = (value: string) => editor.requestCompletion(FILE, resource(value));

  it('offers the roots that are allowed, and no secret where a value is sent out', async () => {
    const { labels, items } = await complete('"$‸"');
    expect(labels).to.include.members(['$PAYLOAD', '$PROTECTED', '$GENERATOR', '$DATETIME', '$HEADER']);
    expect(labels).not.to.include('$ENV');
    expect(JSON.stringify(items.find(({ label }) => label === '$DATETIME')?.documentation)).to.include(
      'time of the request',
    );
  });

  it('replaces the typed part of the root only', async () => {
    const { accept } = await complete('"at $DA‸TE, by \\"\\u0041\\" 😀 $PAY"');
    expect(accept('$DATETIME')).to.equal(resource('"at $DATETIME, by \\"\\u0041\\" 😀 $PAY"'));
    const behind = await complete('"\\"\\u0041\\" 😀 $PAY‸"');
    expect(behind.accept('$PAYLOAD')).to.equal(resource('"\\"\\u0041\\" 😀 $PAYLOAD"'));
    expect(behind.accept('$PAYLOAD.email')).to.equal(resource('"\\"\\u0041\\" 😀 $PAYLOAD.email"'));
    expect(behind.accept('$PROTECTED')).to.equal(resource('"\\"\\u0041\\" 😀 $PROTECTED."'));
  });

  it('offers fields of the payload, and nested ones', async () => {
    const { accept, labels } = await complete('"x $PAYLOAD.em‸"');
    expect(labels).to.include.members(['email', 'items', 'address']).and.not.include('id');
    expect(accept('email')).to.equal(resource('"x $PAYLOAD.email"'));
    const nested = await complete('"$PAYLOAD.address.‸"');
    expect(nested.labels).to.have.members(['city', 'zip']);
    expect(nested.accept('zip')).to.equal(resource('"$PAYLOAD.address.zip"'));
    expect((await complete('"$PAYLOAD.items.0.‸"')).labels).to.have.members(['sku']);
    expect((await complete('"$PAYLOAD.email.x.‸"')).labels).to.deep.equal([]);
  });

  it('offers claims, documented generators and headers, and nothing after a root without a path', async () => {
    expect((await complete('"$PROTECTED.‸"')).labels).to.have.members(['id', 'role']);
    const generators = await complete('"$GENERATOR.UL‸"');
    expect(generators.accept('ULID')).to.equal(resource('"$GENERATOR.ULID"'));
    expect(JSON.stringify(generators.items.find(({ label }) => label === 'ULID')?.documentation)).to.have.length.above(
      20,
    );
    const headers = await complete('"$HEADER.x-‸"');
    expect(headers.labels).to.include.members(['ip', 'authorization', 'x-api-key']);
    expect(headers.labels).not.to.include('x-');
    expect(headers.accept('x-api-key')).to.equal(resource('"$HEADER.x-api-key"'));
    expect((await complete('"$DATETIME.‸"')).labels).to.deep.equal([]);
    expect((await complete('"$NOWHERE.‸"')).labels).to.deep.equal([]);
  });

  it('offers environment variables where they are allowed, never their values', async () => {
    const text = (key: string): string =>
      `{ "id": "a", "resource": "a", "tokenize": { "type": "JWT", "encryption_key": ${key} }, "actionables": [] }`;
    const { accept, labels, items } = await editor.requestCompletion(FILE, text('"$ENV.‸"'));
    expect(labels).to.have.members(['MAIL_KEY', 'OTHER_KEY']);
    expect(new Set(items.map(({ detail }) => detail))).to.deep.equal(new Set(['environment']));
    expect(accept('MAIL_KEY')).to.equal(text('"$ENV.MAIL_KEY"'));
    expect(JSON.stringify(items)).not.to.include('=x');
    const roots = await editor.requestCompletion(FILE, text('‸'));
    expect(roots.labels).to.include('$ENV.OTHER_KEY').and.not.include('$PAYLOAD');
    expect(roots.accept('$ENV.OTHER_KEY')).to.equal(text('"$ENV.OTHER_KEY"'));
  });

  it('offers accessors in text of any depth, in strings that are not closed, and not as keys', async () => {
    const deep = await complete('{ "a": [{ "b": "$PROTECTED.r‸" }] }');
    expect(deep.accept('role')).to.equal(resource('{ "a": [{ "b": "$PROTECTED.role" }] }'));
    const open = await editor.requestCompletion(FILE, resource('"$PAYLOAD.‸').replace(/ \}\] \}$/, '\r\n}] }'));
    expect(open.accept('email')).to.include('"value": "$PAYLOAD.email\r\n');
    expect((await complete('{ "$PAYLOAD.‸": 1 }')).labels).not.to.include('email');
  });

  it('offers nothing in strings that are no values, and nothing after two dollar signs', async () => {
    expect((await editor.requestCompletion(FILE, '{ "id": "$‸" }')).labels).not.to.include('$PAYLOAD');
    expect((await complete('"$$RO‸"')).labels).to.deep.equal([]);
  });
});
