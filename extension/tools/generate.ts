/** `npm run generate`: writes the extension's generated files from the specs. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generated } from './generated.js';
import { EXTENSION } from './places.js';

for (const [name, text] of await generated()) {
  await writeFile(join(EXTENSION, name), text);
  process.stdout.write(`extension/${name}\n`);
}
