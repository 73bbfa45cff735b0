/**
 * `npm run -s conform -- <op>`: published test vectors against the product's own functions. JSON Lines on stdin, one result
 * for each line on stdout. For checks from outside; nothing of it is shipped.
 */
import { createInterface } from 'node:readline';
import { closeStrings } from './conform/strings.js';
import { OPS, runLine } from './conform/run.js';

const name = process.argv[2] ?? '';
if (!Object.hasOwn(OPS, name)) {
  process.stderr.write(`Usage: npm run -s conform -- <op>, with one of: ${Object.keys(OPS).sort().join(', ')}\n`);
  process.exitCode = 1;
} else {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line.trim() !== '') process.stdout.write(`${JSON.stringify(await runLine(name, line))}\n`);
  }
  await closeStrings();
}
