/**
 * The front end with every spec of the distribution as an editor would load it: one bundle for browsers, without a driver,
 * a server or a built-in of Node in it, and of a bearable size.
 */
import { expect } from 'chai';
import { build, type Metafile } from 'esbuild';
import { gzipSync } from 'node:zlib';
import { withoutUnreadTexts } from '../../extension/tools/built-in.js';
import { ROOT } from '../support/project.js';

const ENTRY = `
  export { analyseFiles } from './language/analysis/analyse.js';
  export { analyseConfig } from './language/analysis/config.js';
  export { schemaFor } from './language/export/schema-files.js';
  export { readManifest } from './language/export/manifest-read.js';
  export { buildRegistry } from './language/analysis/build-registry.js';
  export { specs } from './plugins/index.spec.js';
  export { kinds } from './plugins/index.kinds.js';
`;
const MAX_KILOBYTES = 680;
/** Packages of the front end and their dependencies. */
const ALLOWED = ['yup', 'property-expr', 'tiny-case', 'toposort', 'type-fest', 'jsonc-parser', 'fastest-levenshtein'];

describe('architecture: bundle of the front end', () => {
  let metafile: Metafile;
  let text: string;

  before(async () => {
    const result = await build({
      stdin: { contents: ENTRY, resolveDir: ROOT, loader: 'ts', sourcefile: 'editor.ts' },
      bundle: true,
      minify: true,
      platform: 'browser',
      format: 'esm',
      target: 'es2022',
      metafile: true,
      write: false,
      logLevel: 'silent',
      // As the extension is packed.
      plugins: [withoutUnreadTexts],
    });
    metafile = result.metafile;
    text = result.outputFiles[0]?.text ?? '';
  });

  it('holds only the packages of the front end', () => {
    const packages = Object.keys(metafile.inputs).flatMap(
      (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
    );
    expect([...new Set(packages)].filter((name) => !ALLOWED.includes(name))).to.deep.equal([]);
    expect(packages).to.include('yup');
  });

  it('imports nothing from outside, including modules of Node', () => {
    const open = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
    expect(open).to.deep.equal([]);
  });

  it('contains no runtime of a plugin and no heavy part of the kernel', () => {
    const heavy = Object.keys(metafile.inputs).filter((path) => /runtime\.ts$|^kernel\/|^cli\//.test(path));
    expect(heavy).to.deep.equal([]);
  });

  it(`is smaller than ${MAX_KILOBYTES} KB`, () => {
    const kilobytes = Math.round(Buffer.byteLength(text) / 1024);
    const zipped = Math.round(gzipSync(text).length / 1024);
    process.stdout.write(`      front end: ${kilobytes} KB minified, ${zipped} KB zipped\n`);
    expect(kilobytes).to.be.lessThan(MAX_KILOBYTES);
    expect(kilobytes).to.be.greaterThan(20);
  });

  it('runs with JavaScript alone', async () => {
    const url = `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;
    const editor = (await import(url)) as typeof import('../../language/analysis/analyse.js') &
      typeof import('../../language/analysis/build-registry.js') &
      typeof import('../../plugins/index.spec.js') &
      typeof import('../../plugins/index.kinds.js');
    // Their contents are tested elsewhere; here they have no examples.
    const validated = new Set([...editor.kinds, ...editor.specs]);
    const registry = editor.buildRegistry(editor.kinds, editor.specs, validated);
    const found = editor.analyseFiles([{ file: 'a.json', text: '{ "id": "a", "resource": "a" }' }], registry, {
      env: null,
    });
    expect(found.problems.map(({ code }) => code)).to.deep.equal(['DEF_REQUIRED']);
  });
});
