/** The list of the command "Show Value Flow": what is shown of the server's answer, and where its items lead. */
import { expect } from 'chai';
import { loadExtensionModule } from '../support/vscode-stand-in.js';

interface Item {
  readonly label: string;
  readonly description?: string;
  readonly kind?: number;
}

const range = { start: { line: 3, character: 4 }, end: { line: 3, character: 9 } };
const step = (label: string, leaves: boolean) => ({
  ...{ label, leaves, range, detail: 'as mail', place: 'mine', uri: 'file:///p/a.resource.json' },
});
const flow = {
  name: 'email',
  groups: [{ title: '_user.email', steps: [step('written by sign-up#1', false), step('answered by mine', true)] }],
};

describe('extension: value flow', () => {
  const opened: { readonly uri: string; readonly options: object }[] = [];
  const messages: string[] = [];
  let shown: readonly Item[] = [];
  let answer: object | null = flow;
  const run: unknown[] = [];
  let choose = 'answered';
  const vscode = {
    commands: { executeCommand: (...all: unknown[]) => (run.push(all), Promise.resolve()) },
    QuickPickItemKind: { Separator: -1 },
    ViewColumn: { Active: -1 },
    Uri: { parse: (uri: string) => uri },
    Range: class {
      constructor(...numbers: readonly number[]) {
        Object.assign(this, { numbers });
      }
    },
    window: {
      showInformationMessage: (message: string) => void messages.push(message),
      showQuickPick: (items: readonly Item[], options: { onDidSelectItem(item: Item): unknown }) => {
        shown = items;
        const item = items.find(({ label }) => label.startsWith(choose));
        if (item !== undefined) options.onDidSelectItem(item);
        return Promise.resolve(item);
      },
      showTextDocument: (uri: string, options: object) => (opened.push({ uri, options }), Promise.resolve()),
    },
  };
  const asked: unknown[] = [];
  const session = {
    state: () => 'running',
    client: () => ({ sendRequest: (...all: unknown[]) => (asked.push(all), Promise.resolve(answer)) }),
  };
  const editor = { document: { uri: 'file:///p/_user.model.json' }, selection: { active: { line: 1, character: 4 } } };
  let showValueFlow: (session: object, editor: object | undefined) => Promise<void>;
  before(async () => {
    const loaded = (await loadExtensionModule('value-flow', vscode)) as {
      readonly showValueFlow: typeof showValueFlow;
    };
    ({ showValueFlow } = loaded);
  });

  it('requests the flow at the cursor, lists where the value is visible first, and opens the selected step', async () => {
    await showValueFlow(session, editor);
    const at = { textDocument: { uri: 'file:///p/_user.model.json' }, position: { line: 1, character: 4 } };
    expect(asked).to.deep.equal([['lintel/valueFlow', at]]);
    expect(shown.map(({ label, description = '' }) => `${label}: ${description}`)).to.deep.equal([
      'visible to: ',
      'answered by mine: _user.email, as mail',
      '_user.email: ',
      'written by sign-up#1: as mail',
      'in the plan of a resource: ',
      'plan of mine: ',
    ]);
    expect(opened.map(({ uri, options }) => [uri, 'preserveFocus' in options && options.preserveFocus])).to.deep.equal([
      ['file:///p/a.resource.json', true],
      ['file:///p/a.resource.json', false],
    ]);
  });

  it('shows the plan of a resource with its uses of the value', async () => {
    choose = 'plan of mine';
    await showValueFlow(session, editor);
    expect(run).to.deep.equal([
      [
        'lintel.showPlan',
        undefined,
        'mine',
        { mine: ['_user.email: written by sign-up#1', '_user.email: answered by'] },
      ],
    ]);
  });

  it('shows a message where there is no value', async () => {
    answer = null;
    await showValueFlow(session, editor);
    await showValueFlow(session, undefined);
    expect(messages).to.have.length(2);
    expect(messages[0]).to.include('There is no value here');
  });
});
