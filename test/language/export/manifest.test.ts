/** Manifests: every spec survives serialization, and invalid foreign manifests are rejected. */
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { DataError } from '../../../language/export/data-reader.js';
import { lintSpec, lintKind } from '../../../language/export/spec-lint.js';
import { createManifest, formatManifest, type Manifest } from '../../../language/export/manifest.js';
import { readManifest } from '../../../language/export/manifest-read.js';
import { loadManifest, MANIFEST_NAME, MAX_MANIFEST } from '../../../language/project/plugin-manifests.js';
import { createSpecDigest } from '../../../language/project/spec-digest.js';
import { buildRegistry } from '../../../language/analysis/build-registry.js';
import { definePlugin, pluginId } from '../../../contract/plugin.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import { foldSchema } from '../../../language/schema/fold.js';
import { shape, text } from '../../../contract/combinators.js';
import { specs } from '../../../plugins/index.spec.js';
import { kinds } from '../../../plugins/index.kinds.js';
import { createTrialRegistry } from '../../support/fixtures.js';
import { trialSpecs } from '../../support/trial-plugins.js';

const registry = createTrialRegistry();
const all = [...specs, ...trialSpecs];
const made = createManifest({ registry, version: '0.2.7', kinds, specs: all, runtime: () => 'a/runtime.js' });
const source = formatManifest(made);

describe('manifests', () => {
  it('preserve specs, folded fields and kinds', () => {
    const back = readManifest(source);
    expect(back.plugins.map(pluginId)).to.deep.equal(all.map(pluginId));
    for (const [i, spec] of all.entries()) {
      const plugin = back.plugins[i]!;
      expect(plugin, pluginId(spec)).to.deep.include({
        kind: spec.kind,
        name: spec.name,
        since: spec.since,
        summary: spec.summary,
        details: spec.details ?? '',
        facts: spec.facts ?? {},
        requires: spec.requires ?? [],
        errors: spec.errors ?? {},
        invented: spec.invented ?? [],
        aliases: spec.aliases ?? [],
        hasCheck: spec.check !== undefined,
        runtime: 'a/runtime.js',
      });
      expect(plugin.examples.map(({ host: _, ...example }) => example)).to.deep.equal(spec.examples);
      expect(plugin.counterExamples.map(({ host: _, ...example }) => example)).to.deep.equal(spec.counterExamples);
      const slots = (registry.kind(spec.kind)?.slots ?? []).flatMap((slot) => {
        const schema = registry.schema(pluginId(spec), slot);
        return schema === undefined ? [] : [[slot, schema] as const];
      });
      expect(plugin.slots, pluginId(spec)).to.deep.equal(Object.fromEntries(slots));
    }
    for (const [i, kind] of kinds.entries()) {
      const { common, config, ...rest } = back.kinds[i]!;
      const { kind: name, title, summary, slots, select, facts, handle, expected = {}, mistaken = {} } = kind;
      const plain = { kind: name, title, summary, slots, select, facts, handle, expected, mistaken };
      expect(rest).to.deep.equal(plain);
      expect(common).to.deep.equal(kind.common === undefined ? null : foldSchema(kind.common, name));
      expect(config?.field).to.equal(kind.config?.field);
    }
  });

  it('contain data only, and the versions that can read it', () => {
    expect(JSON.parse(source)).to.deep.include({ format: 1, lintel: '>=0.2.0 <0.3.0' });
    expect(source).not.to.match(/=>|function ?\(/);
    expect(readManifest(formatManifest(readManifest(source))), 'and back').to.deep.equal(readManifest(source));
    const sly = { ...made, plugins: [{ ...made.plugins[0]!, facts: { sly: (() => 1) as never } }] };
    expect(() => formatManifest(sly)).to.throw(/facts\/sly is function/);
  });

  it('do not pollute prototypes with keys of foreign data', () => {
    const back = readManifest(source);
    expect(Object.getPrototypeOf(back.plugins[0]!.facts)).to.equal(null);
    expect(Object.getPrototypeOf(back.plugins[0]!.errors)).to.equal(null);
  });

  const first = (JSON.parse(source) as Manifest).plugins.find(({ name }) => name === 'sql_query')!;
  const wrapPlugin = (plugin: object): string =>
    JSON.stringify({ format: 1, lintel: '>=0.2.0 <0.3.0', kinds: [], plugins: [plugin] });
  const catchReadError = (text: string): string => {
    try {
      readManifest(text);
    } catch (error) {
      if (error instanceof DataError) return error.message;
      throw error;
    }
    return 'taken';
  };
  const withMeta = (meta: object): string =>
    wrapPlugin({ ...first, slots: { 'actionable.query': { type: 'string', meta: { doc: 'x', ...meta } } } });

  it('accept a valid manifest', () => expect(catchReadError(wrapPlugin(first))).to.equal('taken'));

  const cases: readonly (readonly [string, () => string, RegExp])[] = [
    ['text that is not JSON', () => 'nonsense', /is not JSON/],
    ['another format', () => source.replace('"format": 1', '"format": 2'), /\/format must be one of 1/],
    ['too much', () => `${' '.repeat(2_000_001)}{}`, /longer than 2000000/],
    ['too deep', () => `${'['.repeat(5_000)}${']'.repeat(5_000)}`, /more than 64 levels/],
    ['an unterminated text', () => wrapPlugin({ ...first, summary: 'x'.repeat(20_001) }), /longer than 20000/],
    ['a reserved key', () => wrapPlugin(first).replace('"facts":{', '"facts":{"__proto__":1'), /"__proto__"/],
    ['an unknown key', () => wrapPlugin({ ...first, install: 'rm' }), /unknown key "install"/],
    ['a missing key', () => wrapPlugin({ ...first, summary: undefined }), /\/plugins\/0\/summary must be text/],
    ['a runtime outside the folder', () => wrapPlugin({ ...first, runtime: '../../evil.js' }), /a path below/],
    ['an absolute runtime', () => wrapPlugin({ ...first, runtime: '/evil.js' }), /a path below/],
    ['a URL as runtime', () => wrapPlugin({ ...first, runtime: 'https://evil/x.js' }), /a path below/],
    [
      'an unknown type',
      () => withMeta({}).replace('"type":"string","meta"', '"type":"date","meta"'),
      /must be one of object/,
    ],
    ...['(a+)\\\\1', '(?<k>a+)\\\\k<k>', '(?=a+)b', '(?<=a+)b', 'a{3000}'].map(
      (slow): readonly [string, () => string, RegExp] => [
        `the slow pattern ${slow}`,
        () => source.replace(/"pattern": "[^"]*"/, () => `"pattern": "${slow}"`),
        /\/pattern (has|looks)/,
      ],
    ),
    ['an invalid pattern', () => source.replace(/"pattern": "[^"]*"/, '"pattern": "("'), /no regular expression/],
    ['unknown metadata', () => withMeta({ onload: 'x' }), /unknown key "onload"/],
    ['an unknown kind of name', () => withMeta({ declares: 'window' }), /declares must be one of resource/],
  ];
  for (const [what, text, words] of cases) {
    it(`reject ${what}, with its path`, () => expect(catchReadError(text())).to.match(words));
  }
});

describe('spec lint', () => {
  it('reports nothing for the specs of the distribution', () => {
    for (const spec of all) expect(lintSpec(registry, spec), pluginId(spec)).to.deep.equal([]);
    for (const kind of kinds) expect(lintKind(kind), kind.kind).to.deep.equal([]);
  });

  it('checks kinds too: summary, facts, common fields', () => {
    const kind = kinds.find(({ common, facts }) => common !== undefined && Object.keys(facts).length > 0)!;
    const common = shape({ size: text({ doc: 'size' }) });
    const facts = { x: { doc: 'x', type: 'string', required: false } } as const;
    expect(lintKind({ ...kind, summary: 'A kind', common, facts })).to.have.lengthOf(3);
  });

  const spec = (rest: Partial<PluginSpec>): PluginSpec =>
    definePlugin({
      kind: 'validation-type',
      name: 'FLAWED',
      since: '1.0.0',
      summary: 'A type.',
      facts: { jsType: 'string', bounded: false },
      schema: shape({ size: text({ doc: 'A size.' }) }),
      examples: [{ title: 'Right', json: { type: 'FLAWED', size: 'xl' } }],
      counterExamples: [{ title: 'Wrong', json: { type: 'FLAWED', size: 1 }, code: 'DEF_TYPE', at: '/size' }],
      ...rest,
    });
  const wrong = { title: 'Wrong', json: { type: 'FLAWED', size: 1 }, code: 'DEF_TYPE', at: '/size' };
  const cases: readonly (readonly [string, Partial<PluginSpec>, RegExp])[] = [
    ['a summary without a full stop', { summary: 'A type' }, /summary is no sentence/],
    ['an invalid version', { since: 'today' }, /"since" is no version/],
    ['documentation that is not a sentence', { schema: shape({ size: text({ doc: 'size' }) }) }, /of "size" is no/],
    ['an example that fails', { examples: [{ title: 'E', json: { type: 'FLAWED', size: 1 } }] }, /example "E" has an/],
    ['a counter-example that passes', { counterExamples: [{ ...wrong, json: { type: 'FLAWED' } }] }, /it passes/],
    ['another code', { counterExamples: [{ ...wrong, code: 'DEF_RANGE' }] }, /not give DEF_RANGE; it gives DEF_TYPE/],
    ['another place', { counterExamples: [{ ...wrong, at: '/type' }] }, /gives DEF_TYPE, but not at "\/type"/],
    [
      'a code without severity and status',
      { errors: { FLW_X: { title: 'X', message: 'Bad.', help: 'Mend it.' } } },
      /FLW_X needs either/,
    ],
  ];
  for (const [what, rest, words] of cases) {
    it(`reports ${what}, and nothing else`, () => {
      const flawed = spec(rest);
      const issues = lintSpec(buildRegistry(kinds, [...specs, flawed]), flawed);
      expect(issues.join('\n')).to.match(words);
      expect(issues).to.have.lengthOf(1);
    });
  }
  it('reports nothing for a clean spec', () =>
    expect(lintSpec(buildRegistry(kinds, [...specs, spec({})]), spec({}))).to.deep.equal([]));
});

describe('manifest file', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'lintel-test-'));
    await mkdir(join(root, 'own'));
  });
  after(() => rm(root, { recursive: true, force: true }));
  const load = async (text: string | null): Promise<unknown> => {
    const file = join(root, 'own', MANIFEST_NAME);
    await (text === null ? rm(file, { force: true }) : writeFile(file, text));
    const { manifest, note } = await loadManifest(root, join(root, 'own'), './own');
    return manifest === null ? note : manifest.plugins.length;
  };

  it('is read up to its size limit, if it is valid', async () => {
    const text = formatManifest(made);
    expect(await load(text.padEnd(MAX_MANIFEST))).to.equal(all.length);
    expect(await load(text.padEnd(MAX_MANIFEST + 1))).to.equal('its manifest is larger than 2000000 bytes');
    expect(await load('{')).to.match(/^its manifest is not sound: /);
    expect(await load(null)).to.equal('it has no manifest; `lintel manifest ./own` writes it');
  });

  it('is not read outside the project, nor without a folder', async () => {
    const outside = await loadManifest(join(root, 'own'), root, '..');
    expect([outside.inside, outside.manifest, outside.note]).to.deep.equal([false, null, 'it is outside the project']);
    expect((await loadManifest(root, join(root, 'none'), './none')).note).to.equal(
      'there is no such folder or package',
    );
  });

  it('has a digest of the specs and their imports only', async () => {
    const folder = join(root, 'digest');
    await mkdir(join(folder, 'one'), { recursive: true });
    const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
    await write('one/spec.mjs', 'import { a } from \'../shared.mjs\';\nexport * from "./words.js";\n');
    await write('one/words.ts', "await import('./late.mjs');\n");
    for (const name of ['shared.mjs', 'one/late.mjs', 'one/runtime.mjs', 'one/other.mjs']) await write(name, 'one\n');
    // Reading a device would never end.
    await symlink('/dev/zero', join(folder, 'one/words.js'));
    const digest = await createSpecDigest(folder);
    for (const name of ['one/runtime.mjs', 'one/other.mjs']) await write(name, 'two\n');
    await write('shared.mjs', 'one\r\n');
    expect(await createSpecDigest(folder), 'not changed').to.equal(digest);
    for (const name of ['shared.mjs', 'one/words.ts', 'one/late.mjs', 'one/spec.mjs']) {
      const text = await readFile(join(folder, name), 'utf8');
      await write(name, `${text}// changed`);
      expect(await createSpecDigest(folder), name).not.to.equal(digest);
      await write(name, text);
    }
  });
});
