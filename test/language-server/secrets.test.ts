/**
 * The server never shows the value of a secret, at any position, and runs no commands or links of another author's
 * manifest. Every response and every log message is searched.
 */
import { expect } from 'chai';
import {
  CodeActionRequest,
  CodeLensRequest,
  CompletionRequest,
  DocumentLinkRequest,
  DocumentSymbolRequest,
  HoverRequest,
  InlayHintRequest,
  LogMessageNotification,
  SemanticTokensRequest,
  WorkspaceSymbolRequest,
  type CodeAction,
  type CompletionItem,
} from 'vscode-languageserver-protocol';
import { openEditor, type Editor } from '../support/editor-pair.js';

const FILE = 'definitions/a.resource.json';
const IN_FILE = 'correct-horse-battery-staple-9-w8';
const IN_ENV = 'w3Xp8Lq2Rt6Vz9Bn4Mk7Hs5Jd1Fg0CyQ8uE2';
const DEFINITION = `{
  "id": "a-01",
  "resource": "a",
  "tokenize": { "type": "JWT", "encryption_key": "${IN_FILE}" },
  "protected": { "extract_claims": ["id"] },
  "webhook": { "verifications": { "HeaderTokenVerifier": { "header_key": "$HEADER.x", "secret_key": "${IN_FILE}" } } },
  "actionables": [
    {
      "id": 1,
      "mode": "HTTPREQUEST",
      "http": { "url": "https://example.com/$ENV.API_KEY", "method": "GET", "headers": { "authorization": "$ENV.API_KEY" } },
      "ciphers": [{ "operation": "Encrypt", "properties": ["a"], "algorithm": "Aes256Gcm", "options": { "key": "${IN_FILE}" } }]
    }
  ]
}
`;

describe('language server: secrets', () => {
  let editor: Editor;
  const logged: string[] = [];
  before(async () => {
    editor = await openEditor({
      files: { '.env': `API_KEY=${IN_ENV}\n`, '.env.example': 'API_KEY=generate:32\n', [FILE]: DEFINITION },
    });
    editor.client.onNotification(LogMessageNotification.type, ({ message }) => void logged.push(message));
  });
  after(() => editor.close());

  const expectNoSecret = (reply: unknown, where: string): void => {
    const text = JSON.stringify(reply) ?? '';
    expect(text.includes(IN_ENV), `${where}: ${text.slice(0, 300)}`).to.equal(false);
    expect(text.includes(IN_FILE), `${where}: ${text.slice(0, 300)}`).to.equal(false);
  };

  it('are in no problem, hint, lens, link, symbol or token', async () => {
    const { uri } = editor.open(FILE, DEFINITION);
    expectNoSecret(await editor.diagnostics(FILE), 'diagnostics');
    const textDocument = { uri };
    const range = { start: { line: 0, character: 0 }, end: { line: 100, character: 0 } };
    expectNoSecret(await editor.client.sendRequest(InlayHintRequest.type, { textDocument, range }), 'hints');
    expectNoSecret(await editor.client.sendRequest(CodeLensRequest.type, { textDocument }), 'lenses');
    expectNoSecret(await editor.client.sendRequest(DocumentLinkRequest.type, { textDocument }), 'links');
    expectNoSecret(await editor.client.sendRequest(DocumentSymbolRequest.type, { textDocument }), 'symbols');
    expectNoSecret(await editor.client.sendRequest(SemanticTokensRequest.type, { textDocument }), 'colours');
    expectNoSecret(await editor.client.sendRequest(WorkspaceSymbolRequest.type, { query: '' }), 'names');
  });

  it('are in no hover and in no completion, at any position', async () => {
    const { uri } = editor.open(FILE, DEFINITION);
    const lines = DEFINITION.split('\n');
    for (const [line, text] of lines.entries()) {
      for (let character = 0; character <= text.length; character += 3) {
        const params = { textDocument: { uri }, position: { line, character } };
        const where = `${line}:${character}`;
        expectNoSecret(await editor.client.sendRequest(HoverRequest.type, params), `hover ${where}`);
        expectNoSecret(await editor.client.sendRequest(CompletionRequest.type, params), `completion ${where}`);
      }
    }
  });

  it('are in the edit of a code action only', async () => {
    const { uri } = editor.open(FILE, DEFINITION);
    const range = { start: { line: 0, character: 0 }, end: { line: 100, character: 0 } };
    const params = { textDocument: { uri }, range, context: { diagnostics: [] } };
    const actions = ((await editor.client.sendRequest(CodeActionRequest.type, params)) ?? []) as CodeAction[];
    expect(actions.some(({ title }) => title.startsWith('Move it to .env'))).to.equal(true);
    expectNoSecret(
      actions.map(({ edit: _, ...rest }) => rest),
      'actions',
    );
  });

  it('are in no log message, also after an error', async () => {
    editor.open(FILE, DEFINITION.slice(0, DEFINITION.indexOf(IN_FILE) + 40));
    await editor.diagnostics(FILE);
    await editor.write({
      '.env': `API_KEY="${IN_ENV}\nBROKEN=${IN_ENV}`,
      'lintel.config.json': `{ "port": "${IN_ENV}" `,
    });
    editor.open(FILE, DEFINITION);
    await editor.diagnostics(FILE);
    expectNoSecret(logged, 'log');
  });
});

const HOSTILE =
  'See <img src="https://example.com/x.png"> and <a href="command:evil">this</a>, [run](command:evil), ' +
  '![picture](https://example.com/y.png), [there][1] and <https://example.com>.\n\n[1]: command:evil\n';

describe('language server: manifests of other authors', () => {
  const HOST = { file: 'resource', json: {}, at: '' };
  const MANIFEST = {
    format: 1,
    lintel: '>=0.1.0',
    kinds: [],
    plugins: [
      {
        kind: 'verifier',
        name: 'EvilVerifier',
        since: '1.0.0',
        status: 'stable',
        deprecated: null,
        summary: HOSTILE,
        details: HOSTILE,
        facts: { needsRaw: true, needsRemote: false },
        slots: {
          'webhook.verifications': {
            type: 'object',
            meta: { doc: HOSTILE },
            fields: {
              color: {
                type: 'string',
                meta: {
                  doc: HOSTILE,
                  examples: ['red'],
                  enumDocs: { red: HOSTILE, blue: HOSTILE },
                  unit: '<b>',
                  default: 'red',
                },
                values: ['red', 'blue'],
              },
            },
          },
        },
        requires: [],
        errors: {},
        invented: [],
        aliases: [],
        examples: [{ title: HOSTILE, json: { color: 'red' }, host: HOST }],
        counterExamples: [{ title: 'None', json: {}, code: 'DEF_REQUIRED', at: '', host: HOST }],
        hasCheck: false,
        runtime: null,
      },
    ],
  };
  const hook = (verifier: string): string =>
    `{ "id": "hook", "resource": "hook", "webhook": { "verifications": { ${verifier} } }, "actionables": [] }`;

  /** Nothing in it is HTML, a picture, or a link that does something. */
  function isInert(text: string): void {
    expect(text).not.to.match(/<(?:img|a|b)\b/i);
    expect(text).not.to.match(/(?<!\\)\]\(\s*command:/);
    expect(text).not.to.match(/(?<!\\)!\[/);
    expect(text).not.to.match(/^\[1\]: command:/m);
    expect(text).not.to.match(/<command:/);
  }

  const documentation = ({ documentation: reply, detail = '' }: CompletionItem): string =>
    `${typeof reply === 'string' ? reply : (reply?.value ?? '')}\n${detail}`;

  it('show as plain text only, in hovers and completions', async () => {
    const editor = await openEditor({
      trusted: false,
      files: {
        'lintel.config.json': JSON.stringify({ plugins: ['builtin:*', './evil'] }),
        'evil/plugin.manifest.json': JSON.stringify(MANIFEST),
      },
    });
    const seen: string[] = [];
    const offered = await editor.requestCompletion(FILE, hook('‸'));
    expect(offered.labels).to.include('EvilVerifier');
    seen.push(...offered.items.map(documentation));
    seen.push(...(await editor.requestCompletion(FILE, hook('"EvilVerifier": {‸}'))).items.map(documentation));
    seen.push(...(await editor.requestCompletion(FILE, hook('"EvilVerifier": {"color": ‸}'))).items.map(documentation));
    for (const source of [
      '"Evil‸Verifier": {"color": "red"}',
      '"EvilVerifier": {"col‸or": "red"}',
      '"EvilVerifier": {"color": "r‸ed"}',
    ]) {
      const { uri, caret } = editor.open(FILE, hook(source));
      const position = caret ?? { line: 0, character: 0 };
      const answer = await editor.client.sendRequest(HoverRequest.type, { textDocument: { uri }, position });
      const { value } = answer?.contents as { value: string };
      expect(value, source).to.include('run');
      seen.push(value);
    }
    expect(seen.filter((text) => text.includes('run')).length).to.be.above(4);
    seen.forEach(isInert);
    await editor.close();
  });
});
