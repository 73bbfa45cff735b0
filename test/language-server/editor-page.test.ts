/**
 * The page about the editor is accurate: its quotations are what the server returns for the model and the resource of
 * the README; its commands and settings are those of the extension.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CodeActionRequest, InlayHintRequest } from 'vscode-languageserver-protocol';
import { NAME_SOURCES } from '../../language-server/completion/names/index.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { requestHover } from '../support/hover-requests.js';
import { ROOT } from '../support/project.js';

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const PAGE = read('docs/editor.md');
/** Without what the formatter of the page does to tables. */
const FLAT = PAGE.replace(/\s+/g, ' ');
const quoted = (text: string): string => {
  expect(FLAT, 'the page').to.contain(text);
  return text;
};
const RESOURCE = 'definitions/resources/note-add.resource.json';
const MODEL = 'definitions/models/_note.model.json';
const readPageFile = (file: string): string => {
  const text = new RegExp(`^\`\`\`jsonc\\n// ${file.replaceAll('.', '\\.')}\\n([^]*?)^\`\`\``, 'm').exec(
    read('README.md'),
  )?.[1];
  if (text === undefined) throw new Error(`the README does not show ${file}`);
  return text;
};

describe('the page about the editor', () => {
  let editor: Editor;
  const resource = readPageFile(RESOURCE);
  before(async () => {
    editor = await openEditor({
      files: { [MODEL]: readPageFile(MODEL), [RESOURCE]: resource, '.env.example': 'STAFF_TOKEN=generate:32\n' },
    });
  });
  after(() => editor.close());
  const query = 'INSERT INTO _note (id, text, created_at) VALUES ($1, $2, $3)';
  const list = '"$GENERATOR.ULID", "text", "$DATETIME"';
  const replaceStatement = (statement: string, values = list): string =>
    resource.replace(query, statement).replace(list, values);
  const titles = async (source: string): Promise<string[]> => {
    const { uri, caret } = editor.open(RESOURCE, source);
    const diagnostics = await editor.diagnostics(RESOURCE);
    if (caret === null) throw new Error('no caret');
    const all = { textDocument: { uri }, range: { start: caret, end: caret } };
    const context = { diagnostics: [...diagnostics] };
    const fixed = { ...all, context: { ...context, only: ['source.fixAll.lintel'] } };
    const answers = [
      await editor.client.sendRequest(CodeActionRequest.type, { ...all, context }),
      await editor.client.sendRequest(CodeActionRequest.type, fixed),
    ];
    return answers.flatMap((answer) => (answer ?? []).map(({ title }) => title));
  };

  it('shows real completions', async () => {
    const whole = await editor.requestCompletion(
      'definitions/b.json',
      '{ "id": "b", "resource": "b", "actionables": [‸] }',
    );
    expect(whole.labels).to.include.members([quoted('{ QUERY: sql_query }'), quoted('{ UPLOAD }')]);
    editor.closeDocument('definitions/b.json');
    const columns = await editor.requestCompletion(RESOURCE, replaceStatement(quoted('SELECT n.‸ FROM notes n')));
    expect(columns.labels).to.include.members(['id', 'text', 'created_at']);
    const bound = await editor.requestCompletion(
      RESOURCE,
      replaceStatement(`SELECT id FROM notes ${quoted('WHERE text = ‸')}`, ''),
    );
    expect(
      bound.labels.some((label) => /^\$\d+ = text$/.test(label)),
      bound.labels.join(),
    ).to.equal(true);
  });

  it('shows real documentation and hints', async () => {
    const placeholder = await requestHover(editor, RESOURCE, resource.replace('$2', '$‸2'));
    expect(placeholder?.markdown).to.contain(
      quoted('**$2** is the field `text` of the payload: STRING, min_length 1, max_length 500'),
    );
    const job = '"cron_job": { "execution_interval": "0 30 3‸ * * *", "time_zone": "Europe/Berlin" }';
    const cron = await requestHover(
      editor,
      'definitions/c.json',
      `{ "id": "c", "resource": "c", "actionables": [{ "id": 1, "mode": "RETURN", "value": {}, ${job} }] }`,
    );
    expect(cron?.markdown.toLowerCase()).to.contain(quoted('at 03:30 (Europe/Berlin)').toLowerCase());
    editor.closeDocument('definitions/c.json');
    const { uri } = editor.open(RESOURCE, resource);
    const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
    const hints = await editor.client.sendRequest(InlayHintRequest.type, { textDocument: { uri }, range });
    quoted('(`$2` `= text`)'.slice(0, -1));
    expect(hints?.map(({ label }) => label)).to.include('= text');
  });

  it('shows real code actions', async () => {
    const misspelt = await titles(resource.replace('"min_length"', '"min_lenght‸"'));
    expect(misspelt).to.include.members([quoted('Rename to "min_length"'), quoted('Apply all certain fixes')]);
    const header = '"tokenize": { "type": "JWT", "encryption_key": ';
    const secret = resource.replace('"actionables"', `${header}"correct‸ horse battery" },\n  "actionables"`);
    expect(await titles(secret)).to.include(quoted('Move it to .env, as JWT_SECRET_KEY'));
    const missing = resource.replace('"actionables"', `${header}"$ENV.STAFF_‸TOKEN" },\n  "actionables"`);
    expect(await titles(missing)).to.include(quoted('Add "STAFF_TOKEN" to .env as .env.example says'));
  });

  it('names every command and every setting of the extension', () => {
    const { contributes } = JSON.parse(read('extension/package.json')) as {
      contributes: {
        commands: { command: string; title: string }[];
        menus: { commandPalette: { command: string; when: string }[] };
        configuration: { properties: object };
      };
    };
    const hidden = contributes.menus.commandPalette
      .filter(({ when }) => when === 'false')
      .map(({ command }) => command);
    for (const { command, title } of contributes.commands)
      if (!hidden.includes(command)) quoted(`**${title.replace('...', '')}**`);
    for (const name of Object.keys(contributes.configuration.properties)) quoted(`\`${name}\``);
  });

  it('and CONTRIBUTING name existing sources', () => {
    const [, list = ''] = /^- `complete: \{ source[^]*?Sources ([^]*?)^- /m.exec(read('CONTRIBUTING.md')) ?? [];
    const [names = ''] = list.split('For cron');
    const named = [...names.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name).filter((name) => name !== 'refers');
    expect(Object.keys(NAME_SOURCES)).to.include.members(named);
    expect(named).to.include.members(['connection', 'glob', 'model-field']);
  });
});
