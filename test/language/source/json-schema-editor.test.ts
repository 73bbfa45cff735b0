/**
 * The exported JSON Schema in the JSON language service of VS Code: completions, hovers, and the text after accepting
 * one. The service does not know the product.
 */
import { expect } from 'chai';
import service from 'vscode-json-languageservice';
import type { CompletionItem, JSONSchema } from 'vscode-json-languageservice';
import { createSchema } from '../../../language/export/schema-files.js';
import { createDocument } from '../../../language/source/document.js';
import { toJson } from '../../../language/source/tree.js';
import { parseSource } from '../../../language/source/parse.js';
import { createBuiltinRegistry, collectProblems } from '../../support/fixtures.js';
import { applyTextEdits, parseMarked, renderSnippet } from '../../support/marked-source.js';

const registry = createBuiltinRegistry();
const json = service.getLanguageService({
  clientCapabilities: {
    textDocument: {
      completion: { completionItem: { documentationFormat: ['markdown'], snippetSupport: true } },
      hover: { contentFormat: ['markdown'] },
    },
  } as never,
});
json.configure({
  validate: true,
  schemas: [
    {
      uri: 'lintel://definition',
      fileMatch: ['*'],
      schema: JSON.parse(JSON.stringify(createSchema('definition', registry))) as JSONSchema,
    },
  ],
});

interface At {
  readonly text: string;
  readonly items: readonly CompletionItem[];
  readonly hover: string;
}

async function at(source: string): Promise<At> {
  const { text, caret } = parseMarked(source);
  const file = service.TextDocument.create('file:///a.json', 'json', 1, text);
  const parsed = json.parseJSONDocument(file);
  const list = await json.doComplete(file, caret!, parsed);
  const hover = await json.doHover(file, caret!, parsed);
  return { text, items: list?.items ?? [], hover: JSON.stringify(hover?.contents ?? '') };
}

const item = ({ items }: At, label: string): CompletionItem => {
  const found = items.find((one) => one.label === label);
  expect(found, `${label} among ${items.map((one) => one.label).join(', ')}`).not.to.equal(undefined);
  return found!;
};
const words = ({ documentation }: CompletionItem): string =>
  typeof documentation === 'string' ? documentation : (documentation?.value ?? '');

const wrapAction = (action: string): string => `{ "id": "a", "resource": "a", "actionables": [${action}] }`;

describe('JSON Schema in the JSON service of an editor', () => {
  it('completes keys with their documentation', async () => {
    const found = await at(wrapAction('{ "id": 1, "mode": "RETURN", "value": 1, "‸" }'));
    expect(words(item(found, 'must_return_value'))).to.contain('End the request when there is no result');
    expect(found.items.map(({ label }) => label))
      .to.include('depends_on')
      .and.not.include('sql_query');
  });

  it('completes names of plugins, each with its documentation', async () => {
    const found = await at(wrapAction('{ "id": 1, "mode": "‸" }'));
    const summary = registry.plugin('mode', 'UPLOAD')?.summary ?? '?';
    expect(words(item(found, '"UPLOAD"'))).to.contain(summary);
  });

  it('completes whole objects, which are valid in shape', async () => {
    for (const name of registry.names('mode')) {
      const found = await at(wrapAction('‸'));
      const { textEdit } = item(found, name);
      if (textEdit === undefined || !('range' in textEdit)) throw new Error('no edit');
      const text = applyTextEdits(found.text, [{ range: textEdit.range, newText: renderSnippet(textEdit.newText) }]);
      const { root } = parseSource(createDocument('a.json', text));
      const [action] = (toJson(root!) as { actionables: object[] }).actionables;
      expect(action, name).to.deep.equal(registry.plugin('mode', name)?.examples[0]?.json);
      const problems = collectProblems([{ file: 'a.json', text }], registry).filter(({ code }) =>
        code.startsWith('DEF_'),
      );
      // The number of the actionable is up to the author.
      expect(
        problems.map(({ message }) => message),
        name,
      ).to.satisfy((all: string[]) => all.every((one) => one.includes('"id"')));
    }
  });

  it('documents a field and a value on hover', async () => {
    expect((await at(wrapAction('{ "id": 1, "must_‸return_value": true }'))).hover).to.contain('End the request');
    expect((await at(wrapAction('{ "id": 1, "mo‸de": "QUERY" }'))).hover).to.contain('The type of work');
    expect((await at('{ "id": "a", "resou‸rce": "a" }')).hover).to.contain('Path of the endpoint');
  });
});
