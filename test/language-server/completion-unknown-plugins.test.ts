/** Plugins that are not built in get the same completion, which depends on their specs alone. */
import { expect } from 'chai';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompletionItemTag } from 'vscode-languageserver-protocol';
import { buildRegistry } from '../../language/analysis/build-registry.js';
import { defineKind } from '../../contract/kind.js';
import { definePlugin } from '../../contract/plugin.js';
import { flag, list, shape, slot, text, value } from '../../contract/combinators.js';
import { completeAt } from '../../language-server/features/completion.js';
import { openProject, type Project } from '../../language-server/project.js';
import { createDocumentContext } from '../../language-server/document-context.js';
import { specs } from '../../plugins/index.spec.js';
import { kinds } from '../../plugins/index.kinds.js';
import { parseMarked } from '../support/marked-source.js';

const stamp = defineKind({
  kind: 'stamp',
  title: 'Stamp',
  summary: 'How a letter is stamped.',
  slots: ['letter.stamp'],
  select: { by: 'field', field: 'stamp' },
  facts: {},
  handle: [],
  host: (json) => ({ file: 'resource', json: { letter: { stamps: [json] } }, at: '/letter/stamps/0' }),
});
const plain = {
  since: '0.1.0',
  summary: 'For a test.',
  counterExamples: [{ title: 'Never looked at', json: 1, code: 'DEF_TYPE', at: '' }],
};
const unknownPlugins = [
  definePlugin({
    ...plain,
    kind: 'accessor',
    name: 'HOUSE',
    summary: 'The house that is asked for.',
    facts: { tail: 'name', secret: false, offers: ['street', 'number'] },
    examples: [{ title: 'A street', json: '$HOUSE.street' }],
  }),
  definePlugin({
    ...plain,
    kind: 'stamp',
    name: 'BLUE',
    schema: shape({ worth: text({ doc: 'What it is worth.' }).required().min(1) }),
    examples: [{ title: 'One', json: { stamp: 'BLUE', worth: '1 euro' } }],
  }),
  definePlugin({
    ...plain,
    kind: 'feature',
    name: 'letter',
    facts: { applies: 'when-present' },
    slots: {
      resource: shape({
        letter: shape({
          rare: flag({ doc: 'Seldom needed.', advanced: true }),
          paper: text({ doc: 'Media type.', complete: { source: 'media-type' } }),
          old: text({ doc: 'An old name.', deprecated: { since: '0.1.0', message: 'Write `paper`.' } }),
          to: value(text({ doc: 'Where to.' }), { doc: 'Where to.', roots: ['HOUSE'] }).required(),
          stamps: list(slot(['letter.stamp'], { doc: 'A stamp.' }), { doc: 'Stamps.' }),
        }).meta({ doc: 'Sends a letter.' }),
      }),
    },
    examples: [{ title: 'A letter', json: { letter: { to: '$HOUSE.street' } } }],
  }),
];

describe('language server: completion for plugins of others', () => {
  const registry = buildRegistry([...kinds, stamp], [...specs, ...unknownPlugins]);
  let folder: string;
  let project: Project;
  let name: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lintel-editor-'));
    name = join(folder, 'definitions', 'a.resource.json');
    await mkdir(join(folder, 'definitions'));
    await writeFile(join(folder, 'lintel.config.json'), '{}');
    await writeFile(name, '{}');
    project = await openProject(folder, { trusted: () => false }).loaded;
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function complete(letter: string) {
    const { text: typed, offset } = parseMarked(
      `{ "id": "a", "resource": "a", "letter": ${letter}, "actionables": [] }`,
    );
    void project.setText(name, typed);
    const view = createDocumentContext({ ...project, registry }, name);
    if (view === null) throw new Error('no view');
    const { items } = await completeAt(view, offset ?? 0, Infinity);
    return [...items].sort((a, b) => ((a.sortText ?? '') < (b.sortText ?? '') ? -1 : 1));
  }
  const labels = async (letter: string): Promise<string[]> => (await complete(letter)).map(({ label }) => label);

  it('offers keys in their order: required, usual, advanced; what is deprecated is struck through', async () => {
    const items = await complete('{ ‸ }');
    expect(items.map(({ label }) => label)).to.deep.equal(['to', 'paper', 'old', 'stamps', 'rare']);
    expect(
      items.filter(({ tags }) => tags?.includes(CompletionItemTag.Deprecated)).map(({ label }) => label),
    ).to.deep.equal(['old']);
  });

  it('offers accessors where their roots are allowed, and the names that they offer', async () => {
    expect(await labels('{ "to": "$‸" }')).to.deep.equal(['$HOUSE', '$HOUSE.street', '$HOUSE.number']);
    expect(await labels('{ "to": "at $HOUSE.‸" }')).to.deep.equal(['street', 'number']);
  });

  it('offers names by their source, plugins of a kind and whole variants', async () => {
    expect(await labels('{ "paper": "‸" }')).to.include('image/png');
    expect(await labels('{ "stamps": [{ "stamp": "‸" }] }')).to.deep.equal(['BLUE']);
    expect(await labels('{ "stamps": [{ "stamp": "BLUE", ‸ }] }')).to.deep.equal(['worth']);
    const [whole] = await complete('{ "stamps": [‸] }');
    expect(whole?.textEdit?.newText).to.equal('{ "stamp": "BLUE", "worth": "${1:1 euro}" }');
  });
});
