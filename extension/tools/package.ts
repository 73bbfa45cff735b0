/** `npm run package`: the bundles, and around them the .vsix that an editor installs. Nothing is fetched. A word behind it: the file. */
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
