/**
 * In the server's bundle, what is built in as data in the place of `language-server/built-in.ts`: making the schemas of all specs takes
 * longer than reading a file. Their code is a bundle of its own, loaded when some of it is called, behind the first look.
 */
import type { Plugin } from 'esbuild';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packSpecs } from '../../kernel/export/packed.js';
import { kinds } from '../../plugins/kinds/index.js';
import { specs } from '../../plugins/index.spec.js';

/** Beside the bundles. */
export const BUILT_IN = 'built-in.json.gz';

const SOURCE = `
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { unpackSpecs } from '../kernel/export/packed.js';
const code = () => require('./built-in.js').builtIn();
const read = () => JSON.parse(gunzipSync(readFileSync(new URL('./${BUILT_IN}', import.meta.url))).toString('utf8'));
let known;
export const builtIn = () => (known ??= unpackSpecs(read(), code));
`;

export const builtInAsData: Plugin = {
  name: 'built in as data',
  setup(build) {
    build.onLoad({ filter: /language-server[/\\]built-in\.ts$/ }, () => ({ contents: SOURCE, loader: 'ts' }));
    build.onResolve({ filter: /^\.\/built-in\.js$/ }, ({ kind, path }) =>
      kind === 'require-call' ? { path, external: true } : null,
    );
  },
};

export const writeBuiltIn = (folder: string): Promise<void> =>
  writeFile(join(folder, BUILT_IN), gzipSync(JSON.stringify(packSpecs({ kinds, specs })), { level: 9 }));
