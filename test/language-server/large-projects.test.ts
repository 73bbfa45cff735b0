/**
 * Very large projects: a file of a megabyte, in a sampled run a quarter of it, and in a full one a workspace of two
 * thousand files. The server responds, nothing throws, and its memory does not grow with each keystroke. The bounds are
 * processor time, four times the measured values.
 */
import { expect } from 'chai';
import { DocumentSymbolRequest, HoverRequest } from 'vscode-languageserver-protocol';
import { createGarbageCollector } from '../../language-server/idle-gc.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { isDeep } from '../support/sample.js';
import { measureAsyncCpuTime } from '../support/cpu.js';

/** Of the size, and so of the bounds. */
const SHARE = isDeep('editor') ? 1 : 0.25;

const MODEL =
  '{ "id": { "type": "String", "primary_key": true, "max_length": 26 }, "email": { "type": "String", "max_length": 320 } }';

const resource = (n: number): string =>
  `{ "id": "r-${n}", "resource": "r${n}", "actionables": [{ "id": 1, "mode": "QUERY", "payload_validation": [{ "field": ` +
  `{ "email": { "type": "EMAIL" } }, "max_length": 320 }], "returnables": ["id"], "sql_query": { "query": ` +
  `"SELECT id FROM _users WHERE email = $1", "parameters": ["email"] } }] }`;

/** Seconds of the processor. */
const worked = async (work: () => Promise<unknown>): Promise<number> => (await measureAsyncCpuTime(work)) / 1000;

const steps = createGarbageCollector();
const collect = (): void => steps.forEach((step) => step());
/** Megabytes that are still needed. */
function measureMegabytes(): number {
  collect();
  return process.memoryUsage().heapUsed / 1e6;
}

describe('language server: very large projects', function () {
  let editor: Editor | undefined;
  afterEach(async () => {
    await editor?.close();
    editor = undefined;
  });

  it('serves a file of a megabyte', async () => {
    const file = 'definitions/all.resource.json';
    const many = Math.ceil((SHARE * 1e6) / (resource(10_000).length + 2));
    const text = `[\n${Array.from({ length: many }, (_, n) => resource(n)).join(',\n')}\n]\n`;
    expect(text.length).to.be.above(SHARE * 0.98e6);
    const before = measureMegabytes();
    const opened = (editor = await openEditor({
      files: { 'definitions/_users.model.json': MODEL, [file]: text },
    }));
    expect(
      await worked(async () => {
        opened.open(file, text);
        expect(await opened.diagnostics(file)).to.deep.equal([]);
      }),
      'opening',
    ).to.be.below(SHARE * 8);
    const half = many >> 1;
    const here = `"id": "r-${half}", `;
    const letter = async (typed: string, code: string): Promise<void> => {
      opened.changeDocument(file, text.replace(here, `${here}${typed}: 1, `));
      expect((await opened.diagnostics(file)).map((one) => one.code)).to.include(code);
    };
    expect(await worked(() => letter('"a"', 'DEF_UNKNOWN_KEY')), 'a letter').to.be.below(SHARE * 3.2);
    const afterOne = measureMegabytes();
    for (const typed of ['"ab"', '"abc"']) await letter(typed, 'DEF_UNKNOWN_KEY');
    expect(
      await worked(async () => {
        const { labels } = await opened.requestCompletion(file, text.replace(here, `${here}"ret‸" `));
        expect(labels).to.include('returnables');
      }),
      'completion, and the analysis of the letter, which may come before it',
    ).to.be.below(SHARE * 4);
    const { uri, caret } = opened.changeDocument(file, text.replace(here, `"i‸d": "r-${half}", `));
    const position = caret ?? { line: 0, character: 0 };
    expect(await opened.client.sendRequest(HoverRequest.type, { textDocument: { uri }, position })).not.to.equal(null);
    const symbols = await opened.client.sendRequest(DocumentSymbolRequest.type, { textDocument: { uri } });
    expect(symbols?.length).to.equal(many);
    opened.changeDocument(file, text.slice(0, -500));
    expect((await opened.diagnostics(file)).map(({ code }) => code)).to.include('SRC_SYNTAX');
    opened.changeDocument(file, text);
    expect(await opened.diagnostics(file)).to.deep.equal([]);
    const afterAll = measureMegabytes();
    expect(afterOne - before, 'megabytes').to.be.below(SHARE * 240);
    expect(afterAll, 'megabytes that every letter leaves').to.be.below(before + (afterOne - before) * 1.5);
  });

  // `speed.test.ts` holds a smaller workspace to stricter bounds.
  if (isDeep('editor')) {
    it('serves a workspace of two thousand files', async () => {
      const formatFileName = (n: number): string => `definitions/f${n % 100}/r${n}.resource.json`;
      const files = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [formatFileName(n), resource(n)]));
      const before = measureMegabytes();
      const opened = (editor = await openEditor({
        files: { 'definitions/_users.model.json': MODEL, ...files },
        pause: 0,
      }));
      const file = formatFileName(50);
      expect(
        await worked(async () => {
          opened.open(file, resource(50));
          expect(await opened.diagnostics(file)).to.deep.equal([]);
        }),
        'opening',
      ).to.be.below(8);
      expect(measureMegabytes() - before, 'megabytes').to.be.below(160);
      expect(
        await worked(async () => {
          opened.changeDocument(file, resource(50).replace('"mode"', '"mod"'));
          expect((await opened.diagnostics(file)).map(({ code }) => code)).to.include('DEF_UNKNOWN_KEY');
        }),
        'a letter',
      ).to.be.below(1.2);
      expect(
        await worked(async () => {
          const { labels } = await opened.requestCompletion(file, resource(50).replace('"mode"', '"‸", "mode"'));
          expect(labels).to.include('must_return_value');
        }),
        'completion, and the analysis of the letter, which may come before it',
      ).to.be.below(1.2);
    });
  }
});
