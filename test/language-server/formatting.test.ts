/** Formatting over the protocol, and its promises over every definition at hand: values stay, twice is once. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { DocumentFormattingRequest, DocumentRangeFormattingRequest } from 'vscode-languageserver-protocol';
import { createDocument } from '../../language/source/document.js';
import { formatDocument } from '../../language/source/format.js';
import { toJson } from '../../language/source/tree.js';
import { parseSource } from '../../language/source/parse.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { applyTextEdits, parseMarked } from '../support/marked-source.js';
import { ROOT } from '../support/project.js';
import { sampleCases } from '../support/sample.js';

const FILE = 'definitions/a.resource.json';
const OPTIONS = { tabSize: 2, insertSpaces: true };

describe('language server: formatting', () => {
  let editor: Editor;
  before(async () => (editor = await openEditor()));
  after(() => editor.close());

  const formatted = async (text: string, options: object = {}): Promise<string> => {
    const { uri } = editor.open(FILE, text);
    const edits = await editor.client.sendRequest(DocumentFormattingRequest.type, {
      textDocument: { uri },
      options: { ...OPTIONS, ...options },
    });
    return applyTextEdits(text, edits ?? []);
  };

  it('writes each member on its own line, and short lists and small objects on one', async () => {
    const text =
      '{"id":"a",   "tags":["a","b" , 1],\n"rule": {"type":"STRING" ,"deep":{"a":[1]}}, "one": { "type": "x" },"none":{},"few":[ ]}';
    expect(await formatted(text)).to.equal(
      [
        '{',
        '  "id": "a",',
        '  "tags": ["a", "b", 1],',
        '  "rule": {',
        '    "type": "STRING",',
        '    "deep": { "a": [1] }',
        '  },',
        '  "one": { "type": "x" },',
        '  "none": {},',
        '  "few": []',
        '}',
      ].join('\n'),
    );
  });

  it('breaks long lines, and keeps comments and line ends', async () => {
    const long = Array.from({ length: 30 }, (_, i) => `"name${i}"`).join(',');
    const after = await formatted(`{// first\r\n"a": [${long}], /* b */ "c": [1 /* one */, 2]\r\n}`);
    expect(after.match(/(?<!\r)\n/g)).to.equal(null);
    expect(after).to.include('// first').and.include('/* b */').and.include('/* one */');
    expect(after).to.include('    "name0",\r\n    "name1",');
  });

  it('uses the indentation of the editor, and ends the file as requested', async () => {
    const after = await formatted('{"a":{\n"b":1}}\n\n\n', { insertSpaces: false, insertFinalNewline: true });
    expect(after).to.equal('{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n');
  });

  it('does not change invalid text', async () => {
    expect(await formatted('{"a":1 "b":[')).to.equal('{"a":1 "b":[');
  });

  it('formats only the lines that are requested', async () => {
    const { text, ranges } = parseMarked('{\n"a":1,\n«1:"b":2»,\n"c":3\n}');
    const { uri } = editor.open(FILE, text);
    const range = ranges.get('1') as NonNullable<ReturnType<typeof ranges.get>>;
    const edits = await editor.client.sendRequest(DocumentRangeFormattingRequest.type, {
      textDocument: { uri },
      options: OPTIONS,
      range,
    });
    const after = applyTextEdits(text, edits ?? []);
    expect(after).to.include('"b": 2').and.include('"a":1').and.include('"c":3');
  });

  it('never changes a value, and changes nothing the second time', () => {
    const folders = ['definitions', 'templates', 'test/fixtures/definitions'].map((name) => `${name}/**/*.json*`);
    const names = sampleCases('edits', 'formatting', globSync(folders, { cwd: ROOT }).sort(), 100);
    let read = 0;
    for (const name of names) {
      for (const layout of [
        { size: 2, spaces: true },
        { size: 4, spaces: false, finalBreak: true },
      ]) {
        const text = readFileSync(join(ROOT, name), 'utf8');
        const squeezed = name.length % 3 === 0 ? text.replace(/\n {2,}/g, ' ') : text;
        for (const source of [text, squeezed]) {
          const doc = createDocument(name, source);
          const tree = parseSource(doc);
          const after = apply(source, formatDocument(doc, tree, layout));
          if (tree.root === null || after === source) continue;
          read++;
          const again = parseSource(createDocument(name, after));
          expect(again.root && toJson(again.root), name).to.deep.equal(toJson(tree.root));
          expect(after.replace(/\s/g, '').replace(/,(?=[}\]])/g, ''), name).to.equal(
            source.replace(/\s/g, '').replace(/,(?=[}\]])/g, ''),
          );
          expect(apply(after, formatDocument(createDocument(name, after), again, layout)), `${name} twice`).to.equal(
            after,
          );
        }
      }
    }
    expect(read).to.be.above(50);
  });

  it('leaves the definitions of this repository as they are', () => {
    for (const name of globSync(['definitions/**/*.json'], { cwd: ROOT })) {
      const doc = createDocument(name, readFileSync(join(ROOT, name), 'utf8'));
      const changes = formatDocument(doc, parseSource(doc), { size: 2, spaces: true });
      const wide = doc.text.split('\n').some((line) => line.length > 100);
      if (!wide) expect(apply(doc.text, changes), name).to.equal(doc.text);
    }
  });
});

const apply = (text: string, changes: ReturnType<typeof formatDocument>): string =>
  changes.reduceRight((now, { start, end, text: made }) => now.slice(0, start) + made + now.slice(end), text);
