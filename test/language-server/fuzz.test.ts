/**
 * All requests at all positions of half-typed texts: no request fails, and every response is well formed. The requests
 * follow from the capabilities of the server.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { globSync } from 'tinyglobby';
import { LSPErrorCodes, ResponseError } from 'vscode-languageserver-protocol';
import { positionAt, createDocument } from '../../language/source/document.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { assertWellFormed, listRequests, type Place, type Request } from '../support/editor-requests.js';
import { createSeededRandom } from '../support/random-edits.js';
import { ROOT } from '../support/project.js';
import { runSeed, sampleCases } from '../support/sample.js';

/** Texts that are mutated; every one of them once. */
const SAMPLES = globSync(['definitions/**/*.json', 'test/fixtures/definitions/*/*.{json,jsonc}'], { cwd: ROOT })
  .filter((name) => !name.endsWith('problems.json'))
  .sort();

/** From 0 to 1. */
type Random = () => number;

function randomFrom(seed: string): Random {
  const random = createSeededRandom(seed);
  return () => random.below(2 ** 32) / 2 ** 32;
}

const PIECES = [
  ...['{', '}', '[', ']', ',', ':', '"', '\\', '\\u', '\\u0041', '/*', '//', '*/', '\n', '\r\n', '\r', '\t'],
  ...[
    '🙂',
    '\ud800',
    '\u0000',
    '\ufeff',
    '\u2028',
    'é',
    '$',
    '$1',
    '$PAYLOAD.',
    '$ENV.',
    '$GENERATOR.',
    '"$PROTECTED.x"',
  ],
  ...[
    'null',
    '-',
    '1e999',
    '"__proto__": {}',
    '"constructor"',
    '"self"',
    ' SELECT ',
    "'",
    '"sql_query": {"query": "SELECT ',
    '"depends_on": [',
  ],
  ...['"for": ', '{ "action": 1 }', '"parameters": [', '.', '_', '* * * * *', '"', '"'],
];

function mutated(text: string, random: Random): string {
  const upTo = (n: number): number => Math.floor(random() * (n + 1));
  const at = upTo(text.length);
  const piece = PIECES[upTo(PIECES.length - 1)] ?? '';
  const lines = text.split('\n');
  switch (upTo(6)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1 + upTo(12));
    case 1:
      return text.slice(0, at) + piece + text.slice(at);
    case 2:
      return text.slice(0, at);
    case 3:
      return [...lines, ...lines.slice(upTo(lines.length - 1))].join('\n');
    case 4: {
      const [from, to] = [at, Math.min(text.length, at + 1 + upTo(20))];
      return text.slice(0, from) + text.slice(to, to + 10) + text.slice(from, to) + text.slice(to + 10);
    }
    case 5:
      return text.slice(0, at) + piece + text.slice(at + 1 + upTo(4));
    default: {
      const line = upTo(lines.length - 1);
      return lines.filter((_, i) => i !== line).join(upTo(5) === 0 ? '\r\n' : '\n');
    }
  }
}

const FIXED = ['_user.model.json', 'wallet.resource.json'].map((name) => `definitions/${name}`);
const FILES = {
  '.env.example': 'JWT_SECRET_KEY=generate:32\nEXAMPLE_KEY=\n',
  [FIXED[0] ?? '']: '{ "id": { "type": "String", "primary_key": true }, "email": { "type": "String" } }',
  [FIXED[1] ?? '']:
    '{ "id": "wallet-01", "resource": "wallet", "actionables": [{ "id": 1, "mode": "QUERY", "sql_query": ' +
    '{ "query": "SELECT id, email FROM _user WHERE id = $1", "parameters": ["$PAYLOAD.id"] } }] }',
};

/** A refusal with words counts where the request may be refused. */
const answered = (editor: Editor, { method, params, refuses }: Omit<Request, 'then'>): Promise<unknown> =>
  editor.client.sendRequest(method, params).catch((error: unknown) => {
    const refused = error instanceof ResponseError && error.code === LSPErrorCodes.RequestFailed;
    if (!refuses || !refused || error.message === '') throw error;
    return null;
  });

async function sendAllRequests(editor: Editor, place: Place): Promise<number> {
  const requests = listRequests(editor.initialized.capabilities, place);
  for (const { method, params, then, refuses } of requests) {
    const answer = await answered(editor, { method, params, refuses });
    assertWellFormed(method, answer, place);
    const items = Array.isArray(answer) ? answer : ((answer as { items?: unknown[] } | null)?.items ?? []);
    if (then === undefined || items[0] === undefined) continue;
    const item = items[Math.floor(items.length / 2)] as object;
    assertWellFormed(then.method, await editor.client.sendRequest(then.method, then.params(item)), place);
  }
  return requests.length;
}

/** A caret somewhere, and a range from it on. */
function somewhere(editor: Editor, name: string, text: string, random: Random): Place {
  const doc = createDocument('', text);
  const any = Math.floor(random() * (text.length + 1));
  // A caret is never inside a line break.
  const offset = text.startsWith('\r\n', any - 1) ? any - 1 : any;
  const end = Math.min(text.length, offset + Math.floor(random() * 200));
  const position = positionAt(doc, offset);
  const range = { start: position, end: positionAt(doc, end) };
  return { uri: editor.toUri(name), text, position, range, texts: toTexts(editor) };
}

const toTexts = (editor: Editor): ReadonlyMap<string, string> =>
  new Map(Object.entries(FILES).map(([name, text]) => [editor.toUri(name), text]));

describe('language server: arbitrary texts', function () {
  let editor: Editor;
  before(async () => (editor = await openEditor({ files: FILES })));
  afterEach(() => expect(editor.errors.splice(0), 'what the server logged').to.deep.equal([]));
  after(() => editor.close());

  const sendAllAt = (name: string, text: string, seed = ''): Promise<number> =>
    sendAllRequests(editor, somewhere(editor, name, text, randomFrom(`${runSeed} ${seed}`)));

  it('responds in half-typed texts of every kind', async () => {
    const random = randomFrom(`${runSeed} texts`);
    for (const name of sampleCases('editor', 'half-typed texts', SAMPLES, 30)) {
      const file = basename(name) === 'lintel.config.json' ? 'lintel.config.json' : `definitions/${basename(name)}`;
      if (FIXED.includes(file)) continue;
      let text = readFileSync(join(ROOT, name), 'utf8').replace(/^\ufeff/, random() < 0.5 ? '' : '\ufeff');
      for (let i = 0; i < 2; i++) text = mutated(text, random);
      editor.open(file, text);
      const place = somewhere(editor, file, text, random);
      try {
        await sendAllRequests(editor, place);
        if (editor.errors.length > 0) throw new Error(editor.errors.splice(0).join('\n'));
      } catch (error) {
        throw new Error(`${name}:\n${String(error)}\n${JSON.stringify({ position: place.position, text })}`, {
          cause: error,
        });
      } finally {
        editor.closeDocument(file);
      }
    }
    // The file on disk counts again.
    await editor.write({ 'lintel.config.json': '{}' });
  });

  it('responds at positions outside of the text', async () => {
    const name = 'definitions/absurd.resource.json';
    const { text } = editor.open(name, FILES[FIXED[1] ?? ''] ?? '');
    for (const position of [-1, 1e9, 0.5, 2 ** 31].flatMap((n) => [
      { line: n, character: 0 },
      { line: 0, character: n },
      { line: n, character: n },
    ])) {
      const place = {
        uri: editor.toUri(name),
        text,
        position,
        range: { start: position, end: position },
        texts: toTexts(editor),
      };
      for (const request of listRequests(editor.initialized.capabilities, place)) await answered(editor, request);
    }
    editor.closeDocument(name);
  });

  it('responds for closed, deleted and foreign files and for addresses that are no files', async () => {
    const name = 'definitions/gone.resource.json';
    const { text } = editor.open(name, FILES[FIXED[1] ?? ''] ?? '');
    editor.closeDocument(name);
    await sendAllAt(name, text);
    await editor.write({ [name]: text });
    await sendAllAt(name, text);
    await rm(join(editor.folder, name));
    await sendAllAt(name, text);
    for (const uri of [
      'untitled:Untitled-1',
      'git:/a/b.json?x',
      'file:///nowhere/at/all.resource.json',
      'no address',
      '',
      'file://host/x.json',
    ]) {
      const position = { line: 0, character: 0 };
      const place = { uri, text: '', position, range: { start: position, end: position }, texts: toTexts(editor) };
      await sendAllRequests(editor, place);
    }
  });

  it('responds in empty files and in files with a byte order mark or Windows line ends', async () => {
    const sound = FILES[FIXED[1] ?? ''] ?? '';
    for (const [i, text] of [
      `\ufeff${sound}`,
      sound.replaceAll(', ', ',\r\n'),
      sound.replaceAll(', ', ',\r'),
      '',
      ' ',
      '\ufeff',
      '"',
      '[',
      '{"',
    ].entries()) {
      const name = `definitions/odd${i}.resource.json`;
      editor.open(name, text);
      for (const seed of ['a', 'b', 'c']) await sendAllAt(name, text, seed);
      editor.closeDocument(name);
    }
  });

  it('responds in a file that is nested too deep, and in one of a megabyte', async () => {
    const row = '{ "id": 1, "mode": "QUERY", "sql_query": { "query": "SELECT 1", "parameters": ["a"] } },\n';
    const note = `// ${'words and more words '.repeat(30)}\n`;
    const rows = Array.from({ length: 40 }, () => row + note.repeat(44)).join('');
    const big = `{ "id": "b", "resource": "b", "actionables": [\n${rows}] }`;
    expect(big.length).to.be.above(2 ** 20);
    for (const [name, text] of Object.entries({ 'deep.json': '[{"a":'.repeat(5000), 'big.resource.json': big })) {
      editor.open(`definitions/${name}`, text);
      await sendAllAt(`definitions/${name}`, text);
      editor.closeDocument(`definitions/${name}`);
    }
  });

  it('responds while the config is invalid or names missing plugins', async () => {
    const name = 'definitions/meanwhile.resource.json';
    const text = (FILES[FIXED[1] ?? ''] ?? '').replace('wallet', 'meanwhile');
    editor.open(name, text);
    for (const config of [
      '{ "definitions": [',
      '[]',
      '{ "plugins": ["./nowhere"] }',
      '{ "plugins": ["./definitions"] }',
      'null',
      '',
    ]) {
      editor.open('lintel.config.json', config);
      await sendAllAt('lintel.config.json', config);
      await sendAllAt(name, text);
      await editor.write({ 'lintel.config.json': config });
      await sendAllAt(name, text);
    }
    editor.closeDocument('lintel.config.json');
    await editor.write({ 'lintel.config.json': '{}' });
    await sendAllAt(name, text);
    editor.closeDocument(name);
  });

  it('responds in two folders, and after one of them was removed', async () => {
    const second = await openEditor({ files: FILES });
    const folder = (one: Editor): { uri: string; name: string } => ({
      uri: one.toUri('').replace(/\/$/, ''),
      name: 'second',
    });
    const event = { added: [folder(second)], removed: [] };
    await editor.client.sendNotification('workspace/didChangeWorkspaceFolders', { event });
    const text = FILES[FIXED[1] ?? ''] ?? '';
    const position = { line: 0, character: 30 };
    const place = {
      uri: second.toUri(FIXED[1] ?? ''),
      text,
      position,
      range: { start: position, end: position },
      texts: toTexts(second),
    };
    expect(await sendAllRequests(editor, place)).to.be.above(3);
    await editor.client.sendNotification('workspace/didChangeWorkspaceFolders', {
      event: { added: [], removed: [folder(second)] },
    });
    await sendAllRequests(editor, place);
    await sendAllAt(FIXED[1] ?? '', text);
    await second.close();
  });
});
