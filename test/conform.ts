/**
 * `npm run -s conform -- <op>`: published test vectors against the product's own functions. JSON Lines on stdin, one result
 * for each line on stdout. For checks from outside; nothing of it is shipped.
 */
import { createInterface } from 'node:readline';
import { runCommand } from './conform/command.js';

process.exitCode = await runCommand(
  process.argv.slice(2),
  createInterface({ input: process.stdin, crlfDelay: Infinity }),
  {
    out: (text) => void process.stdout.write(text),
    error: (text) => void process.stderr.write(text),
  },
);
