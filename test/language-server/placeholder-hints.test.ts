/** Inlay hints after placeholders, over the protocol: the text with the hints inserted. */
import { expect } from 'chai';
import { InlayHintRequest, type InlayHint } from 'vscode-languageserver-protocol';
import type { Editor } from '../support/editor-pair.js';
import { applyTextEdits } from '../support/marked-source.js';
import { FILE, formatSqlResource, openSqlEditor } from '../support/editor-sql.js';

describe('language server: hints after placeholders', () => {
  let editor: Editor;
  before(async () => (editor = await openSqlEditor()));
  after(() => editor.close());

  async function hints(source: string, last?: number): Promise<InlayHint[]> {
    const { text, uri } = editor.open(FILE, source);
    const end = { line: last ?? text.split('\n').length, character: 0 };
    const range = { start: { line: 0, character: 0 }, end };
    const answer = await editor.client.sendRequest(InlayHintRequest.type, { textDocument: { uri }, range });
    return (answer ?? []).filter(({ label }) => typeof label === 'string' && label.startsWith('= '));
  }
  const renderHints = async (source: string): Promise<string> =>
    applyTextEdits(
      source,
      (await hints(source)).map(({ position, label }) => ({
        range: { start: position, end: position },
        newText: `[${label as string}]`,
      })),
    );

  it('in SQL, after escapes too, with the values as they are written', async () => {
    const list = ', "parameters": ["email", 5, "new", "$DATETIME"]';
    const sql = String.raw`"SELECT '\u0041😀\"', $1, $2::int, $3, $4, $1, $9"`;
    expect(await renderHints(formatSqlResource(sql, list))).to.equal(
      formatSqlResource(
        String.raw`"SELECT '\u0041😀\"', $1[= email], $2[= 5]::int, $3[= "new"], $4[= $DATETIME], $1[= email], $9"`,
        list,
      ),
    );
  });

  it('truncates long values', async () => {
    const found = await hints(formatSqlResource('"SELECT $1"', `, "parameters": ["${'x y '.repeat(30)}"]`));
    expect(found.map(({ label }) => (label as string).length)).to.deep.equal([42]);
  });

  it('in queries of documents', async () => {
    const text =
      '{"id": "a-01", "resource": "a", "actionables": [{"id": 1, "mode": "QUERY", "mongo_query": {"collection": "_notes", ' +
      '"action": "FETCH", "filter_predicate": {"text": "$1", "number": {"$in": ["$2", "a"]}}, "parameters": ["email", "$1"]}}]}';
    expect(await renderHints(text)).to.equal(
      text.replace('"text": "$1"', '"text": "$1"[= email]').replace('["$2"', '["$2"[= "$1"]'),
    );
  });

  it('of the visible lines only', async () => {
    const text = formatSqlResource('"SELECT $1"', ',\n\n"parameters": ["email"]');
    expect(await hints(text, 1)).to.have.length(1);
    expect(await hints(`\n\n\n${text}`, 1)).to.have.length(0);
  });

  it('works while the list is open', async () => {
    expect(await hints(formatSqlResource('"SELECT $1, $2"', ', "parameters": ["email", ').slice(0, -5))).to.have.length(
      1,
    );
  });
});
