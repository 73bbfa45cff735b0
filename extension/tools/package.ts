/**
 * `npm run package [FILE] [METAFILE]`: builds the bundles and packs the .vsix, without downloading anything. `METAFILE` gets what
 * esbuild reports of each bundle.
 */
import { stat, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { bundle } from './bundle.js';
import { ROOT, VSIX } from './places.js';
import { pack } from './vsix.js';

const [file = VSIX, metafile] = process.argv.slice(2);
const bundles = await bundle();
if (metafile !== undefined) await writeFile(metafile, JSON.stringify(bundles));
await pack(file);
const { size } = await stat(file);
process.stdout.write(`${relative(ROOT, file)}: ${Math.round(size / 1024)} KB\n`);
