/** Variables of the environment win over the config file in the editor as they do for `lintel check`. */
import { expect } from 'chai';
import { loadProject } from '../../plugins/distribution.js';
import { loadDefinitions } from '../../language/project/project.js';
import { openEditor, type Editor } from '../support/editor-pair.js';

const CONFIG = 'lintel.config.json';
const FILE = 'definitions/a.resource.json';
const TEXT = `{ "id": "a", "resource": "a", "actionables": [{ "id": 1, "mode": "RETURN", "value": { "x": 1 },
  "broadcast_websocket_message": { "broadcast_type": "ALL", "action": "seen" } }] }`;

async function checked({ folder }: Editor): Promise<readonly string[]> {
  const project = await loadProject(folder, undefined, process.env);
  if (project.config === null) throw new Error('the config has an error');
  const { problems } = await loadDefinitions(project, project.config);
  return problems.map(({ code }) => code);
}

describe('language server: variables that override the config', () => {
  const editors: Editor[] = [];
  const open = async (config: string, env: string): Promise<Editor> => {
    const editor = await openEditor({ files: { [CONFIG]: config, [FILE]: TEXT, '.env': env } });
    editors.push(editor);
    editor.open(FILE, TEXT);
    return editor;
  };
  const codes = async (editor: Editor): Promise<readonly unknown[]> =>
    (await editor.diagnostics(FILE)).map(({ code }) => code);
  afterEach(async () => {
    for (const editor of editors.splice(0)) await editor.close();
  });

  for (const [config, env, isOff] of [
    ['{}', '', true],
    ['{}', 'ALLOW_WEBSOCKET_CONNECTIONS=true\n', false],
    ['{"websocket": {"enabled": true}}', '', false],
    ['{"websocket": {"enabled": true}}', 'ALLOW_WEBSOCKET_CONNECTIONS=false\n', true],
  ] as const) {
    it(`${config} with ${env.trim() || 'nothing'}: clients may ${isOff ? 'not ' : ''}connect`, async () => {
      const editor = await open(config, env);
      const reported = await codes(editor);
      expect(reported.includes('BRC_OFF')).to.equal(isOff);
      expect(reported).to.have.members(await checked(editor));
    });
  }

  it('reports a variable that stops the start at the config, without its value', async () => {
    const editor = await open('{}', 'ALLOW_WEBSOCKET_CONNECTIONS=canary\n');
    editor.open(CONFIG, '{}');
    const [problem] = await editor.waitForDiagnostics(CONFIG, (found) => found.length > 0);
    expect(problem?.code).to.equal('CFG_VARIABLE');
    expect(problem?.message).to.contain('ALLOW_WEBSOCKET_CONNECTIONS').and.not.contain('canary');
    expect(await codes(editor)).to.include('BRC_OFF');
  });
});
