/**
 * Everything that can be clicked works: the extension contributes each command of a lens or an action, each link leads
 * to an existing file or page, and items are requested again when another file changes them.
 */
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  CallHierarchyOutgoingCallsRequest,
  CallHierarchyPrepareRequest,
  CodeActionRequest,
  CodeLensRequest,
  CodeLensResolveRequest,
  DocumentLinkRequest,
  type CodeAction,
  type CodeLens,
  type Command,
  type Location,
} from 'vscode-languageserver-protocol';
import type { ValueFlow } from '../../language-server/features/value-flow.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { ROOT } from '../support/project.js';
import { waitUntil } from '../support/until.js';

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const { contributes } = JSON.parse(read('extension/package.json')) as {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
};
const COMMANDS = contributes.commands.map(({ command }) => command);

const NOTES = 'definitions/models/_note.model.json';
const RESOURCES = ['notes', 'users', 'health'].map((name) => `definitions/resources/${name}.resource.json`);
const template = Object.fromEntries(
  [NOTES, 'definitions/models/_user.model.json', ...RESOURCES].map((name) => [name, read(`templates/project/${name}`)]),
);
/** With a misspelt key, an undeclared name and a missing variable: problems that have fixes. */
const FAULTY = 'definitions/faulty.resource.json';
const faulty = read('templates/project/definitions/resources/health.resource.json')
  .replaceAll('"health"', '"faulty"')
  .replace('"mode"', '"must_return_valeu": true, "mode"')
  .replace('"$DATETIME"', '"$PAYLOAD.when $ENV.ABSENT"');

for (const trusted of [true, false]) {
  describe(`language server: what can be clicked, ${trusted ? 'trusted' : 'not trusted'}`, () => {
    let editor: Editor;
    const asked: string[] = [];
    before(async () => {
      const refreshed = { refreshSupport: true };
      editor = await openEditor({
        files: { ...template, [FAULTY]: faulty },
        trusted,
        pause: 0,
        capabilities: {
          workspace: {
            workspaceFolders: true,
            didChangeWatchedFiles: { dynamicRegistration: true },
            codeLens: refreshed,
            inlayHint: refreshed,
            semanticTokens: refreshed,
          },
        },
      });
      for (const name of ['codeLens', 'inlayHint', 'semanticTokens'])
        editor.client.onRequest(`workspace/${name}/refresh`, () => void asked.push(name));
    });
    after(() => editor.close());

    const listLenses = async (name: string): Promise<CodeLens[]> => {
      const { uri } = editor.open(name, template[name] ?? faulty);
      const lenses = (await editor.client.sendRequest(CodeLensRequest.type, { textDocument: { uri } })) ?? [];
      return Promise.all(lenses.map((lens) => editor.client.sendRequest(CodeLensResolveRequest.type, lens)));
    };

    it('each lens has a command of the extension, with its arguments', async () => {
      const seen = new Set<string>();
      for (const name of Object.keys(template)) {
        for (const { command } of await listLenses(name)) {
          seen.add(command?.command ?? '');
          const [uri, second, third] = (command?.arguments ?? []) as readonly unknown[];
          expect(existsSync(fileURLToPath(String(uri))), command?.title).to.equal(true);
          if (command?.command !== 'lintel.showReferences') expect(second, command?.title).to.be.a('string');
          else
            for (const location of third as readonly Location[])
              expect(existsSync(fileURLToPath(location.uri)), location.uri).to.equal(true);
        }
      }
      expect([...seen].sort()).to.deep.equal(['lintel.sendRequest', 'lintel.showPlan', 'lintel.showReferences']);
      expect(COMMANDS).to.include.members([...seen]);
    });

    it('each code action has an edit or a known command', async () => {
      const { uri, text } = editor.open(FAULTY, faulty);
      const diagnostics = await editor.waitForDiagnostics(FAULTY, (all) => all.length > 1);
      const lines = text.split('\n').length;
      const range = { start: { line: 0, character: 0 }, end: { line: lines, character: 0 } };
      const actions = await editor.client.sendRequest(CodeActionRequest.type, {
        textDocument: { uri },
        range,
        context: { diagnostics: [...diagnostics] },
      });
      expect(actions?.length).to.be.above(0);
      for (const action of (actions ?? []) as readonly (CodeAction | Command)[]) {
        const { command } = action;
        const id = typeof command === 'object' ? command.command : command;
        if (id !== undefined) expect(COMMANDS, action.title).to.include(id);
        else expect((action as CodeAction).edit, action.title).not.to.equal(undefined);
      }
    });

    it('each step of a value flow and each call has a location in a file', async () => {
      expect(COMMANDS).to.include('lintel.showValueFlow');
      const text = template[NOTES] ?? '';
      const line = text.split('\n').findIndex((one) => one.includes('"text"'));
      const { uri } = editor.open(NOTES, text);
      const at = {
        textDocument: { uri },
        position: { line, character: (text.split('\n')[line] ?? '').indexOf('text') },
      };
      const flow = await editor.client.sendRequest<ValueFlow | null>('lintel/valueFlow', at);
      const steps = flow?.groups.flatMap((group) => group.steps) ?? [];
      expect(steps.length).to.be.above(1);
      for (const step of steps) expect(existsSync(fileURLToPath(step.uri)), step.label).to.equal(true);
      const resource = RESOURCES[0] ?? '';
      const { uri: called } = editor.open(resource, template[resource] ?? '');
      const position = { line: 2, character: 3 };
      const asked = { textDocument: { uri: called }, position };
      const [item] = (await editor.client.sendRequest(CallHierarchyPrepareRequest.type, asked)) ?? [];
      if (item === undefined) throw new Error('nothing is called');
      const calls = (await editor.client.sendRequest(CallHierarchyOutgoingCallsRequest.type, { item })) ?? [];
      expect(calls.length).to.be.above(0);
      for (const { to } of calls) expect(existsSync(fileURLToPath(to.uri)), to.name).to.equal(true);
    });

    it('each link leads to a file or a page', async () => {
      let count = 0;
      for (const name of Object.keys(template)) {
        const { uri } = editor.open(name, template[name] ?? '');
        for (const { target = '' } of (await editor.client.sendRequest(DocumentLinkRequest.type, {
          textDocument: { uri },
        })) ?? []) {
          count++;
          if (target.startsWith('file:'))
            expect(existsSync(fileURLToPath(target.replace(/#.*/, ''))), target).to.equal(true);
          else expect(target).to.match(/^https:/);
        }
      }
      expect(count).to.be.above(0);
    });

    it('items are requested again when another file changes them', async () => {
      editor.open(NOTES, template[NOTES] ?? '');
      editor.open(RESOURCES[0] ?? '', template[RESOURCES[0] ?? ''] ?? '');
      for (const name of [NOTES, RESOURCES[0] ?? '']) await editor.diagnostics(name);
      // The server sends what opening the files has changed before it answers.
      const textDocument = { uri: editor.toUri(NOTES) };
      await editor.client.sendRequest(CodeLensRequest.type, { textDocument });
      asked.length = 0;
      editor.changeDocument(RESOURCES[0] ?? '', '[]');
      await waitUntil(() => asked.length >= 3, 'three requests');
      expect([...asked].sort()).to.deep.equal(['codeLens', 'inlayHint', 'semanticTokens']);
    });
  });
}
