/** Test files in the editor: completed, hovered, checked and renamed with the definitions that they name. */
import { expect } from 'chai';
import { CodeLensRequest, DocumentSymbolRequest, type DocumentSymbol } from 'vscode-languageserver';
import type { ListedTests } from '../../language-server/features/requests.js';
import { openAtCaret, requestRename } from '../support/editor-names.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { waitUntil } from '../support/until.js';
import { requestHover } from '../support/hover-requests.js';
import { defineReturnResource } from '../support/project.js';

const FILE = 'definitions/notes.test.json';
const RESOURCE = 'definitions/a.resource.json';
const TEST = `{ "id": "notes", "given": { "tables": { "notes": [{ "text": "a" }] } }, "cases": [{ "id": "adds", "steps": [
  { "request": { "resource": "code", "body": {} }, "expect": { "status": 200, "body": { "id": { "$any": "ulid" } } }, "save": { "id": "id" } },
  { "update": { "notes": [{ "where": { "text": "c" }, "set": { "text": "d" } }] }, "delete": { "notes": [{ "text": "e" }] } }
], "expect": { "tables": { "note": [{ "text": "b" }] } } }] }`;

describe('language server: test files', () => {
  let editor: Editor;
  before(async () => {
    editor = await openEditor({
      files: {
        'definitions/_note.model.json':
          '{ "id": { "type": "Number", "primary_key": true, "auto_increment": true }, "text": { "type": "String" } }',
        [RESOURCE]: JSON.stringify({ ...defineReturnResource('code', 1), id: 'code' }),
        [FILE]: TEST,
      },
    });
  });
  after(() => editor.close());
  const labels = async (text: string): Promise<readonly string[]> =>
    (await editor.requestCompletion(FILE, text)).labels;
  const inStep = (text: string): string => `{ "id": "a", "cases": [{ "id": "b", "steps": [{ ${text} }] }] }`;

  it('offers their fields, and the names of resources, tables, columns and matchers', async () => {
    expect(await labels('{ ‸ }'))
      .to.include.members(['id', 'given', 'cases'])
      .and.not.include('resource');
    expect(await labels(inStep('‸'))).to.include.members(['request', 'expect', 'save']);
    expect(await labels(inStep('"request": { "resource": "‸" }'))).to.include('code');
    expect(await labels(inStep('"expect": { "body": { "id": { ‸ } } }'))).to.include.members(['$any', '$unordered']);
    expect(await labels(inStep('"expect": { "body": { "id": { "$any": "‸" } } }'))).to.include.members([
      'uuid',
      'ulid',
    ]);
    expect(await labels(inStep('"request": { "resource": "code", "files": [{ ‸ }] }'))).to.include.members([
      'field',
      'type',
      'text',
      'base64',
      'path',
    ]);
    expect(
      await labels('{ "id": "a", "cases": [{ "id": "b", "steps": [], "expect": { "files": [{ "size": { ‸ } }] } }] }'),
    ).to.include('$between');
    expect(await labels('{ "id": "a", "given": { "tables": { "‸" } } }')).to.include('_note');
    expect(await labels('{ "id": "a", "given": { "tables": { "notes": [{ "‸" }] } } }')).to.include.members([
      'id',
      'text',
    ]);
    expect(await labels(inStep('"insert": { "‸" }'))).to.include('_note');
    expect(await labels('{ "id": "a", "given": { "identifiers": [{ "generator": "‸" }] } }')).to.include('ULID');
    expect(await labels(inStep('"update": { "notes": [{ "set": { "‸" } }] }'))).to.include.members(['id', 'text']);
    expect(await labels(inStep('"delete": { "notes": [{ "text": { "‸" } }] }'))).to.include('$contains');
  });

  it('describes fields and matchers', async () => {
    expect((await requestHover(editor, FILE, TEST.replace('"status"', '"sta‸tus"')))?.markdown).to.contain(
      'Status of the response',
    );
    expect((await requestHover(editor, FILE, TEST.replace('"$any"', '"$a‸ny"')))?.markdown).to.contain(
      'type or a form',
    );
    for (const [name, moved] of [
      ['"notes": [{ "text": "a"', '"no‸tes": [{ "text": "a"'],
      ['"text": "c"', '"te‸xt": "c"'],
    ] as const)
      expect((await requestHover(editor, FILE, TEST.replace(name, moved)))?.markdown, name).to.contain('_note');
    expect((await requestHover(editor, FILE, TEST.replace('"delete"', '"del‸ete"')))?.markdown).to.contain(
      'Rows that another program deletes',
    );
  });

  it('lists the cases for the Test Explorer, each with its place', async () => {
    editor.open(FILE, TEST);
    const [listed] = await editor.client.sendRequest<readonly ListedTests[]>('lintel/tests');
    expect(listed).to.include({ file: FILE, id: 'notes' });
    expect(listed?.uri).to.match(/definitions\/notes\.test\.json$/);
    expect(listed?.cases.map(({ id, range }) => [id, range.start])).to.deep.equal([
      ['adds', { line: 0, character: TEST.indexOf('"adds"') }],
    ]);
  });

  it('shows cases in the outline, and no lens that sends a request', async () => {
    const textDocument = { uri: editor.open(FILE, TEST).uri };
    const [group] = ((await editor.client.sendRequest(DocumentSymbolRequest.type, { textDocument })) ??
      []) as DocumentSymbol[];
    expect([group?.name, group?.children?.map(({ name }) => name)]).to.deep.equal(['notes', ['adds']]);
    expect(await editor.client.sendRequest(CodeLensRequest.type, { textDocument })).to.deep.equal([]);
  });

  it('reports unknown names at their place', async () => {
    editor.open(FILE, TEST.replace('"code"', '"cod"'));
    const [problem] = await editor.diagnostics(FILE);
    expect(problem?.code).to.equal('LNK_UNKNOWN_RESOURCE');
    expect(problem?.range.start.line).to.equal(1);
  });

  it('renames a resource, a model and a field in tests too', async () => {
    const rename = async (file: string, text: string, to: string): Promise<string> =>
      JSON.stringify(await requestRename(editor, file, openAtCaret(editor, file, text), to));
    editor.open(FILE, TEST);
    expect(await rename(FILE, TEST.replace('"code"', '"co‸de"'), 'other')).to.contain('\\"id\\":\\"other\\"');
    const fields = await rename(FILE, TEST.replace('"text"', '"te‸xt"'), 'words');
    for (const value of ['\\"a\\"', '\\"b\\"', '\\"c\\"', '\\"d\\"', '\\"e\\"', '{'])
      expect(fields).to.contain(`\\"words\\": ${value}`);
  });

  it('renames a field of the payload in the requests of tests, and in the problems that they expect', async () => {
    const rule = { field: { items: { type: 'ARRAY', fields: { sku: { type: 'STRING' } } } } };
    const action = { id: 1, mode: 'RETURN', value: '$PAYLOAD.items', payload_validation: [rule] };
    const order = JSON.stringify({ id: 'order', resource: 'order', actionables: [action] });
    const request = '"request": { "resource": "order", "body": { "items": [{ "sku": "x" }], "other": 1 } }';
    const test = inStep(`${request}, "expect": { "problem": { "pointer": "/items/0" } }`);
    const name = 'definitions/order.test.json';
    const resource = 'definitions/order.resource.json';
    await editor.write({ [resource]: order, [name]: test });
    editor.open(resource, order);
    const rename = async (before: string, to: string): Promise<string> => {
      const text = test.replace(before, `${before}‸`);
      return JSON.stringify(await requestRename(editor, name, openAtCaret(editor, name, text), to));
    };
    const outer = await rename('{ "it', 'lines');
    expect(outer).to.contain('{ \\"lines\\": [').and.contain('\\"/lines/0\\"').and.contain('$PAYLOAD.lines');
    expect(await rename('{ "sk', 'code'))
      .to.contain('{ \\"code\\": \\"x')
      .and.contain('{\\"code\\":{\\"type');
  });

  describe('completion of values', () => {
    const NAME = 'definitions/sales/sale.test.json';
    const rules = [
      { field: { count: { type: 'NUMBER', min: 2, max: 9 } } },
      { field: { note: { type: 'STRING' } }, optional: true },
      { field: { lines: { type: 'ARRAY', fields: { sku: { type: 'STRING' }, size: { type: 'NUMBER' } } } } },
    ];
    const sale = {
      id: 'sale',
      resource: 'sales/:shop',
      protected: { extract_claims: ['uid'] },
      tokenize: { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.KEY' },
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          payload_validation: rules,
          sql_query: {
            query: 'INSERT INTO sales (shop, count, author) VALUES ($1, $2, $3)',
            parameters: ['$PAYLOAD.shop', 'count', '$PROTECTED.uid'],
          },
        },
      ],
      returnables: ['id', 'at', 'count'],
    };
    before(async () => {
      await editor.write({
        '.env': `KEY=${'k'.repeat(40)}`,
        'definitions/sales/_sale.model.json': JSON.stringify({
          id: { type: 'Number', primary_key: true, auto_increment: true },
          at: { type: 'DateTime', optional: true },
          shop: { type: 'String', max_length: 3 },
          count: { type: 'Number' },
          author: { type: 'String', foreign_key: { of: '_author', key: 'id' } },
        }),
        'definitions/sales/_author.model.json': JSON.stringify({ id: { type: 'String', primary_key: true } }),
        'definitions/sales/sale.resource.json': JSON.stringify(sale),
        'definitions/sales/sale-list.resource.json': JSON.stringify({
          id: 'sale-list',
          resource: 'sales',
          actionables: [{ id: 1, mode: 'QUERY', sql_query: { query: 'SELECT shop FROM sales' } }],
          returnables: ['shop'],
        }),
      });
      await waitUntil(async () => {
        const { labels } = await offer('‸');
        // Each edit ends an analysis that has begun.
        await editor.diagnostics(NAME);
        return labels.includes('test: sale');
      }, 'the new resource');
    });
    const offer = (text: string) => editor.requestCompletion(NAME, text);
    const send = (text: string): string => inStep(`"request": { "resource": "sale", ${text} }`);
    const receive = (text: string): string => inStep(`"request": { "resource": "sale" }, "expect": { ${text} }`);

    it('has the payload of the resource, by its rules, with the parameters of the path', async () => {
      const { labels, accept } = await offer(send('"body": { "‸" }'));
      expect(labels).to.include.members(['shop', 'count', 'note', 'lines']);
      expect(accept('count')).to.contain('"body": { "count": 2 }');
      expect(accept('lines')).to.contain('"lines": [{ "sku": "text", "size": 1 }]');
      expect((await offer(send('"body": { "lines": [{ "‸" }] }'))).labels).to.have.members(['sku', 'size']);
      expect((await offer(send('"body": { "lines": [{ "size": ‸ }] }'))).labels).to.include('1');
      expect((await offer(send('"‸"'))).accept('body')).to.match(/"body": \{\s*"shop": "text",\s*"count": 2/);
      expect((await offer(send('"headers": { "‸" }'))).labels).to.include('authorization');
      const { labels: paths } = await offer(inStep('"request": { "method": "GET", "path": ‸ }'));
      expect(paths).to.include('/sales/text').and.include('/code');
    });

    it('has matchers for the result, which may be one row or a list', async () => {
      const list = inStep('"request": { "resource": "sale-list" }, "expect": { "body": [{ "‸" }] }');
      expect((await offer(list)).accept('shop')).to.contain('"body": [{ "shop": { "$any": "string" } }]');
      const { accept: accepted } = await offer('{ "id": "a", "cases": [{ "id": "b", "steps": [‸] }] }');
      expect(accepted('step: sale-list')).to.match(/"expect": \{ "body": null \}/);
      const { labels, accept } = await offer(receive('"body": { "‸" }'));
      expect(labels).to.include.members(['id', 'at', 'count', '$exactly']);
      expect(accept('id')).to.contain('"id": { "$any": "integer" }');
      expect((await offer(receive('"body": { "$exactly": { "id": 1, "‸" } }'))).labels).to.include('at');
      expect((await offer(receive('"‸"'))).accept('body')).to.match(/"body": \{[^]*"count": \{ "\$any": "integer" \}/);
    });

    it('has rows of the types of the model, whose foreign keys refer to given rows', async () => {
      const give = (rows: string): string => `{ "id": "a", "given": { "tables": { ${rows} } }, "cases": [] }`;
      const { accept, labels } = await offer(give('"authors": [{ "id": "ada" }], "sales": [‸]'));
      expect(accept('{ row }')).to.contain('"sales": [{ "shop": "tex", "count": 1, "author": "ada" }]');
      expect(labels).to.not.include('{ … }');
      const column = await offer(give('"sales": [{ "shop": "a", "count": 1, "author": "a", "‸" }]'));
      expect(column.accept('at')).to.contain('"at": "2030-01-31T12:00:00.000Z"');
    });

    it('has a first test for an empty file, and steps for a case', async () => {
      const { accept, labels } = await offer('‸');
      expect(labels[0]).to.equal('test: sale');
      const made = JSON.parse(accept('test: sale')) as { readonly given: object };
      expect(made).to.have.property('id', 'sale');
      expect(made.given).to.deep.equal({ claims: { uid: '1' } });
      expect((await offer('{ "id": "a", "cases": [{ "id": "b", "steps": [‸] }] }')).labels).to.include('step: sale');
    });
  });
});
