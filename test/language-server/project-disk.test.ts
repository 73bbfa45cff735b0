/** A file that changes on disk costs what it is a part of: nothing else of the project is read again. */
import { expect } from 'chai';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import { buildRegistry } from '../../language/analysis/build-registry.js';
import { createManifest, formatManifest } from '../../language/export/manifest.js';
import type { Problem } from '../../contract/problem.js';
import { openProject, type Project, type Snapshot } from '../../language-server/project.js';
import { kinds } from '../../plugins/index.kinds.js';
import { specs } from '../../plugins/index.spec.js';

const MODEL = 'definitions/_note.model.json';
const RESOURCE = 'definitions/note.resource.json';
const defineResource = (id: string): string =>
  JSON.stringify({
    ...{ id, resource: id },
    tokenize: { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.KEY' },
    actionables: [{ id: 1, mode: 'RETURN', value: { x: 1 } }],
  });

describe('the files of a project on disk', () => {
  let folder: string;
  let project: Project;
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const listIds = (): readonly string[] => project.getSnapshot().analysis.resources.map(({ id }) => id);
  const listCodes = (): readonly string[] => project.getSnapshot().problems.map(({ code }) => code);

  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'lintel-disk-')));
    write('lintel.config.json', '{ "definitions": ["definitions/**/*.json"] }');
    write('.env', 'KEY=one\n');
    write(MODEL, '{ "id": { "type": "String", "primary_key": true, "max_length": 26 } }');
    write(RESOURCE, defineResource('note'));
    project = await openProject(folder, { trusted: () => false }).loaded;
    expect(listIds()).to.deep.equal(['note']);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('ignores unrelated files everywhere', async () => {
    const before = project.getSnapshot();
    write(RESOURCE, defineResource('written'));
    const unrelated = ['package.json', 'other/data.json', 'definitions/notes.txt', 'sub/.env'].map((name) =>
      write(name, '{}'),
    );
    expect(await project.refresh(unrelated)).to.equal(false);
    expect(project.getComputedSnapshot()).to.equal(before);
  });

  it('reads variables without the definitions', async () => {
    write(RESOURCE, defineResource('written'));
    expect(listCodes()).to.not.include('ENV_MISSING');
    expect(await project.refresh([write('.env', 'OTHER=one\n')])).to.equal(true);
    expect(project.envNames.names).to.deep.equal(['OTHER']);
    expect([...project.env.keys()])
      .to.include('OTHER')
      .and.not.include('KEY');
    expect(listCodes()).to.include('ENV_MISSING');
    expect(listIds()).to.deep.equal(['note']);
  });

  it('answers from the last analysis while the next one takes turns, which finds the problems of open files first', async () => {
    const names = Array.from({ length: 400 }, (_, n) => `definitions/r${n}.resource.json`);
    for (const [n, name] of names.entries()) write(name, defineResource(`r${n}`));
    const open = join(folder, names[200] ?? '');
    await project.refresh(null);
    const before = project.getSnapshot();
    await project.refresh([write('.env', 'OTHER=one\n')]);
    const listUnset = (problems: readonly Problem[]): string[] =>
      problems.flatMap(({ code, file }) => (code === 'ENV_MISSING' ? [file] : []));
    const first: string[][] = [];
    expect(project.computeInTurn([open], (problems) => first.push(listUnset(problems)))).to.equal(false);
    const getAvailable = (): Snapshot => project.getAvailableSnapshot(open);
    expect([getAvailable(), project.getComputedSnapshot()]).to.deep.equal([before, null]);
    while (!project.computeInTurn([open], (problems) => first.push(listUnset(problems))));
    expect(first).to.deep.equal([[names[200]]]);
    expect(getAvailable()).to.equal(project.getComputedSnapshot());
    const computed = getAvailable();
    project.setText(join(folder, names[1] ?? ''), '{}');
    expect([getAvailable(), project.getComputedSnapshot()], 'another file').to.deep.equal([computed, null]);
    project.setText(join(folder, names[1] ?? ''), null);
    expect(listUnset(project.getSnapshot().problems)).to.include.members(names);
    await project.refresh([write('.env', 'KEY=one\n')]);
    project.setText(open, '{}');
    expect(getAvailable()).to.equal(project.getComputedSnapshot());
  });

  it('reads only the definition file that was changed, created or deleted', async () => {
    const other = write('definitions/deep/other.resource.json', defineResource('other'));
    expect(await project.refresh([other])).to.equal(true);
    expect([...listIds()].sort()).to.deep.equal(['note', 'other']);
    write(other.slice(folder.length + 1), defineResource('unread'));
    expect(await project.refresh([write(RESOURCE, defineResource('written'))])).to.equal(true);
    expect([...listIds()].sort()).to.deep.equal(['other', 'written']);
    rmSync(dirname(other), { recursive: true });
    expect(await project.refresh([dirname(other)]), 'a folder').to.equal(true);
    expect(listIds()).to.deep.equal(['written']);
  });

  it('reads the files that a changed config selects, and keeps the plugins if they are the same', async () => {
    const { registry } = project;
    write('more/other.resource.json', defineResource('other'));
    const patterns = '["definitions/**/*.json", "more/**/*.json"]';
    await project.refresh([write('lintel.config.json', `{ "definitions": ${patterns} }`)]);
    expect([...listIds()].sort()).to.deep.equal(['note', 'other']);
    expect(project.registry).to.equal(registry);
    const config = `{ "definitions": ${patterns}, "plugins": ["builtin:*", "./mine"] }`;
    await project.refresh([write('lintel.config.json', config)]);
    expect(listCodes()).to.include('PLG_UNREAD');
    const known = project.registry;
    await project.refresh([write('.env', 'KEY=two\n')]);
    expect(project.registry, 'with a plugin that is not read').to.equal(known);
  });

  it('reads the texts of a manifest, and checks again only what they change', async () => {
    const spec: PluginSpec = {
      ...{ kind: 'generator', name: 'SHORTCODE', since: '1.0.0', summary: 'Eight letters.' },
      facts: { length: 8, pattern: '[a-z]{8}', sortable: false, guessable: true },
      examples: [{ title: 'A code', json: '$GENERATOR.SHORTCODE' }],
      counterExamples: [{ title: 'Misspelt', json: '$GENERATOR.SHORTCOD', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
    };
    const registry = buildRegistry(kinds, [...specs, spec]);
    const writeManifest = (given: PluginSpec): string => {
      const made = createManifest({ registry, version: '0.5.0', kinds: [], specs: [given], runtime: () => null });
      return write('own/plugin.manifest.json', formatManifest(made));
    };
    const manifest = writeManifest(spec);
    const config = write(
      'lintel.config.json',
      '{ "definitions": ["definitions/**/*.json"], "plugins": ["builtin:*", "./own"] }',
    );
    expect(await project.refresh([config])).to.equal(true);
    const listDefinitions = () => project.getSnapshot().analysis.definitions;
    const getOwn = () => project.registry.plugin('generator', 'SHORTCODE');
    const before = listDefinitions();
    writeManifest({ ...spec, summary: 'Eight small letters.', since: '1.0.1' });
    expect(await project.refresh([manifest])).to.equal(true);
    expect(getOwn()?.summary).to.equal('Eight small letters.');
    expect(
      listDefinitions().every((one, i) => one === before[i]),
      'read again',
    ).to.equal(true);
    writeManifest({ ...spec, facts: { ...spec.facts, length: 9 } });
    await project.refresh([manifest]);
    expect(getOwn()?.facts?.length).to.equal(9);
    expect(listDefinitions()[0]).to.not.equal(before[0]);
  });
});
