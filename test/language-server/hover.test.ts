/** Hover, over the protocol: the text and the range for each kind of name and value. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DocumentLinkRequest, InlayHintRequest, type Position } from 'vscode-languageserver-protocol';
import { DEFINITIONS } from '../support/fixtures.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { requestHover } from '../support/hover-requests.js';

const FILE = 'definitions/a.resource.json';
const MODEL = JSON.stringify({
  id: { type: 'String', primary_key: true },
  email: { type: 'String', unique: true },
  group: { type: 'String', foreign_key: { of: '_group', key: 'id' } },
});
const OTHER = `[{
  "id": "other-01", "resource": "other", "actionables": [
    { "id": 7, "mode": "QUERY", "sql_query": { "query": "SELECT id FROM users WHERE email = 'x'", "parameters": [] } }
  ]
}]`;

describe('language server: hover', () => {
  let editor: Editor;
  before(async () => {
    editor = await openEditor({
      files: {
        'definitions/_user.model.json': MODEL,
        'definitions/_group.model.json': '{"id": {"type": "String", "primary_key": true}}',
        'definitions/other.resource.json': OTHER,
        '.env.example': '# keys\nAPI_KEY=\nHOVER_PATH=\n',
        '.env': 'HOVER_PATH=/secret/value\n',
      },
    });
  });
  after(() => editor.close());

  /** The words, after the range was compared with the mark. */
  const hoverText = async (source: string, name = FILE): Promise<string> => {
    const hovered = await requestHover(editor, name, source);
    if (hovered === null) throw new Error('nothing is told');
    expect(hovered.range, 'range').to.deep.equal(hovered.marked);
    return hovered.markdown;
  };
  const expectNoHover = async (source: string): Promise<void> => {
    expect(await requestHover(editor, FILE, source)).to.equal(null);
  };
  const action = (inside: string): string =>
    `{ "id": "a", "resource": "notes/:id", "actionables": [{ "id": 1, "mode": "QUERY", ${inside} }] }`;

  describe('of fields', () => {
    it('shows type, documentation and example', async () => {
      const text = await hoverText('{ «x:"reso‸urce"»: "a" }');
      expect(text).to.match(/^\*\*`resource`\*\*: text, required\n\nPath of the endpoint/);
      expect(text).to.include('`"sign-up"`');
    });

    it('shows bounds, units and defaults', async () => {
      const text = await hoverText('{ "http": { "limits": { «x:"bo‸dy"»: 1048576 } } }', 'lintel.config.json');
      expect(text).to.include('Takes: at least 1 byte').and.include('Default: `1048576` (1 MiB)');
    });

    it('shows more about a field that is a plugin', async () => {
      const text = await hoverText(action('«x:"depends‸_on"»: []'));
      expect(text).to.include('A dependency runs at most once per request');
    });

    it('knows keys with escapes, half-typed files and CRLF', async () => {
      expect(await hoverText('{ \r\n  «x:"\\u0072eso‸urce"»: "a", ')).to.include('Path of the endpoint');
      expect(await hoverText('// 🙂 a comment\n{ /* 🙂 */ «x:"id‸"»: ')).to.include('Identifier of the resource');
    });

    it('describes a value, and a number in larger units', async () => {
      const text = await hoverText('{ "http": { "limits": { "body": «x:104857‸60» } } }', 'lintel.config.json');
      expect(text).to.match(/^10485760 bytes: 10 MiB\n\n\*\*`body`\*\*/);
    });

    it('starts at the first character', async () => {
      expect(await hoverText('{ ‸«x:"id"»: "a" }')).to.include('Identifier of the resource');
    });

    it('shows nothing in blank space', async () => {
      await expectNoHover('{ "id": "a", ‸ "resource": "a" }');
      await expectNoHover('{ "nobody_knows": 1‸ }');
      await expectNoHover('{ "id": "a" ‸ , "resource": "a" }');
      await expectNoHover('‸');
      await expectNoHover('[‸');
    });
  });

  describe('of values', () => {
    it('shows plugins with an example', async () => {
      const text = await hoverText(
        '{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": «x:"QUE‸RY"» }] }',
      );
      expect(text)
        .to.match(/^\*\*`QUERY`\*\*: mode/)
        .and.include('```json\n')
        .and.include('Since 0.');
    });

    it('shows members of an enumeration', async () => {
      const text = await hoverText('{ "on_problem": «x:"sk‸ip"» }', 'lintel.config.json');
      expect(text).to.include('**`skip`**: Resources with errors return 503');
    });
  });

  describe('of accessors', () => {
    const value = (text: string, more = ''): string =>
      action(`"sql_query": { "query": "SELECT $1", "parameters": [${text}] }${more}`);

    it('shows the field of the payload with its rule', async () => {
      const rules = ',\n "payload_validation": [{ "field": { "email": { "type": "EMAIL", "optional": true } } }]';
      const text = await hoverText(value('"mailto:«x:$PAY‸LOAD.email»?x"', rules));
      expect(text).to.match(
        /^\*\*`email`\*\* of the payload: `EMAIL`, optional\n\nRule at \[definitions\/a.resource.json:2\]/,
      );
      expect(text).to.include('`$PAYLOAD`: A value of the request body');
    });

    it('shows limits next to the rule, and rules inside lists', async () => {
      const rules = `,
        "payload_validation": [{ "max_length": 9, "field": {
          "tag": { "type": "STRING" },
          "items": { "type": "OBJECTARRAY", "fields": { "sku": { "type": "ULID" } } }
        } }]`;
      expect(await hoverText(value('"«x:$PAYLOAD.ta‸g»"', rules))).to.match(/payload: `STRING`, max length `9`\n/);
      expect(await hoverText(value('"«x:$PAYLOAD.items.0.s‸ku»"', rules))).to.match(/payload: `ULID`\n/);
    });

    it('shows the uses of a field, each line once', async () => {
      const used = (text: string): string[] =>
        [...(text.split('Used at ')[1] ?? '').matchAll(/a\.resource\.json:(\d+)\]/g)].map(([, line]) => line ?? '');
      const rules = (tag: string, sku: string): string => `,
        "payload_validation": [{ "field": { ${tag}: { "type": "STRING" }, "idle": { "type": "STRING" },
          "items": { "type": "OBJECTARRAY", "fields": { ${sku}: { "type": "ULID" } } } } }]`;
      const uses = '"$PAYLOAD.tag $PAYLOAD.tag",\n"tag",\n"$PAYLOAD.items.0.sku"';
      expect(used(await hoverText(value(uses, rules('«x:"ta‸g"»', '"sku"'))))).to.deep.equal(['1', '2']);
      const inside = '"tag",\n"«x:$PAYLOAD.items.0.s‸ku»"';
      expect(used(await hoverText(value(inside, rules('"tag"', '"sku"'))))).to.deep.equal(['2']);
      expect(await hoverText(value('"«x:$PAYLOAD.no‸ne»"', rules('"tag"', '"sku"')))).not.to.include('Used at');
    });

    it('shows parts of the path, and undeclared names', async () => {
      expect(await hoverText(value('"«x:$PAYLOAD.i‸d»"'))).to.include('a part of the path `/notes/:id`');
      expect(await hoverText(value('"«x:$PAYLOAD.nob‸ody»"'))).to.include(
        '**`nobody`** of `$PAYLOAD`: no rule declares it',
      );
    });

    it('shows variables without their values', async () => {
      const known = await hoverText(value('"«x:$ENV.HOVER‸_PATH»"'));
      expect(known).to.include('environment variable, set').and.include('[.env.example:3](<file:');
      expect(known).not.to.include('/secret/value');
      expect(await hoverText(value('"«x:$ENV.API_‸KEY»"')))
        .to.include('**not set**')
        .and.include('[.env.example:2]');
      expect(await hoverText(value('"«x:$ENV.NO‸NE»"')))
        .to.include('**not set**')
        .and.include('Not in');
    });

    it('shows generators, after emoji and escapes', async () => {
      const text = await hoverText(value('"🙂 \\u0041\\" «x:$GENERATOR.UL‸ID» x"'));
      expect(text)
        .to.match(/^\*\*`ULID`\*\*: generator/)
        .and.include('`pattern`');
    });

    it('shows claims', async () => {
      const source = `{ "id": "a", "resource": "a",
        "protected": { "verify": "$HEADER.authorization", "extract_claims": ["role"] }, "actionables": [
        { "id": 1, "mode": "QUERY", "sql_query": { "query": "SELECT $1", "parameters": ["«x:$PROTECTED.ro‸le»"] } }] }`;
      expect(await hoverText(source))
        .to.match(/^\*\*`role`\*\*: a claim of the token/)
        .and.include('resource.json:2');
    });

    it('are read in the config too', async () => {
      const source = '{ "datastores": { "main": { "use": "postgres", "url": "«x:$ENV.API‸_KEY»" } } }';
      expect(await hoverText(source, 'lintel.config.json')).to.include('environment variable, **not set**');
    });
  });

  describe('of names', () => {
    const chain = (
      caret: (part: string) => string,
    ): string => `[{ "id": ${caret('id')}, "resource": "a", "actionables": [
      { "id": ${caret('action')}, "mode": "QUERY", "no_op": true, "sql_query": { "query": "SELECT id FROM users", "parameters": [] } },
      { "id": 2, "mode": "QUERY", "depends_on": [
          { "resource_id": ${caret('resource')}, "action_ids": [${caret('reference')}], "extract_response_for": [{ "extract": "0.id", "for": ${caret('for')} }] }
        ], "sql_query": { "query": "SELECT $1", "parameters": [${caret('parameter')}, "some text"] } }
    ] }]`;
    const plain: Readonly<Record<string, string>> = {
      id: '"a"',
      action: '1',
      resource: '"self"',
      reference: '1',
      for: '"found"',
      parameter: '"found"',
    };
    const at = (marked: string, text: string): string =>
      chain((part) => (part === marked ? text : (plain[part] ?? '')));

    it('shows resources with their actionables', async () => {
      const text = await hoverText(at('id', '«x:"‸a"»'));
      expect(text).to.match(/^\*\*`a`\*\*: resource at `\/a`/);
      expect(text).to.include('- `1` `QUERY`: `SELECT id FROM users`, 1st').and.include('- `2`');
      expect(await hoverText(at('resource', '«x:"other‸-01"»'))).to.match(/^\*\*`other-01`\*\*: resource at `\/other`/);
      expect(await hoverText(at('resource', '«x:"se‸lf"»'))).to.match(/^\*\*`a`\*\*/);
    });

    it('shows actionables with their order and dependents', async () => {
      const text = await hoverText(at('action', '«x:‸1»'));
      expect(text).to.match(/^\*\*`a#1`\*\*: `QUERY`: `SELECT id FROM users`/);
      expect(text).to.include('- Runs 1st').and.include('- Needed by `a#2`').and.include('- Touches `_user`');
      expect(await hoverText(at('reference', '«x:‸1»'))).to.equal(text);
    });

    it('shows the origin of names', async () => {
      const text = await hoverText(at('for', '«x:"fou‸nd"»'));
      expect(text).to.match(/^\*\*`found`\*\*: a value of a result/);
      expect(text).to.include('As written in `a#2`: `{"extract":"0.id","for":"found"}`');
      expect(await hoverText(at('parameter', '«x:"fo‸und"»'))).to.equal(text);
    });

    it('shows texts that are no names', async () => {
      expect(await hoverText(at('parameter', '«x:"some ot‸her"»'))).to.include('this very text');
    });
  });

  describe('of models', () => {
    it('shows the fields of a model where it is referred to', async () => {
      const text = await hoverText(
        '{ "id": { "type": "String", "foreign_key": { "of": «x:"_us‸er"», "key": "id" } } }',
        'definitions/_note.model.json',
      );
      expect(text).to.match(/^\*\*`_user`\*\*: model, table `users`/);
      expect(text).to.include('| `email` | `String` | unique |');
      expect(text).to.include('| `group` | `String` | foreign key `{"of":"_group","key":"id"}` |');
    });

    it('shows a field of a model, declared and referred to', async () => {
      const declared = await hoverText(
        '{ «x:"em‸ail"»: { "type": "String", "unique": true } }',
        'definitions/_user.model.json',
      );
      expect(declared).to.match(/^\*\*`email`\*\* of the model `_user`: `String`, unique/);
      const source = '{ "id": { "type": "String", "foreign_key": { "of": "_user", "key": «x:"em‸ail"» } } }';
      expect(await hoverText(source, 'definitions/_note.model.json')).to.match(/^\*\*`email`\*\* of the model `_user`/);
    });
  });

  describe('of schedules', () => {
    const job = (more: string): string =>
      `{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": "RETURN", "value": {}, "cron_job": { ${more} } }] }`;

    it('describes them with the next runs, in their zone', async () => {
      const text = await hoverText(job('"execution_interval": «x:"0 0 3 ‸* * *"», "time_zone": "Asia/Tokyo"'));
      expect(text).to.match(
        /^\*\*At 03:00 \(Asia\/Tokyo\)\*\*\n\nNext runs:\n\n(- \w{3} \d{4}-\d\d-\d\d 03:00:00 \+09:00\n?){3}$/,
      );
    });

    it('falls back on the zone of the config', async () => {
      await editor.write({
        'lintel.config.json': '{ "scheduler": { "use": "embedded", "time_zone": "Asia/Kolkata" } }',
      });
      editor.open('lintel.config.json', '{ "scheduler": { "use": "embedded", "time_zone": "Asia/Kolkata" } }');
      const text = await hoverText(job('"execution_interval": «x:"‸0 0 3 * * *"»'));
      expect(text).to.include('(Asia/Kolkata)').and.include('+05:30');
    });

    it('describes the field where there is no schedule', async () => {
      expect(await hoverText(job('"execution_interval": «x:"0 0 ‸"»'))).to.include('When it runs');
    });
  });

  it('never fails, wherever a text ends', async () => {
    const whole = readFileSync(join(DEFINITIONS, 'sound-sign-up-and-sign-in', '_user.json'), 'utf8');
    const step = Math.ceil(whole.length / 40);
    for (let end = 0; end < whole.length; end += step) {
      const { uri, caret } = editor.open(FILE, `${whole.slice(0, end)}‸`);
      const textDocument = { uri };
      const range = { start: { line: 0, character: 0 }, end: caret as Position };
      await requestHover(editor, FILE, `${whole.slice(0, end)}‸`);
      await editor.client.sendRequest(InlayHintRequest.type, { textDocument, range });
      await editor.client.sendRequest(DocumentLinkRequest.type, { textDocument });
    }
    expect(editor.errors).to.deep.equal([]);
  });
});
