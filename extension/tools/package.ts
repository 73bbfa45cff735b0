/** `npm run package [FILE]`: builds the bundles and packs the .vsix, without downloading anything. */
import { stat } from 'node:fs/promises';
import { relative } from 'node:path';
import { bundle } from './bundle.js';
import { ROOT, VSIX } from './places.js';
import { pack } from './vsix.js';

const [file = VSIX] = process.argv.slice(2);
await bundle();
await pack(file);
const { size } = await stat(file);
process.stdout.write(`${relative(ROOT, file)}: ${Math.round(size / 1024)} KB\n`);
