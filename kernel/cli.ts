#!/usr/bin/env node
/** The process of the command line: its streams, its signals, its exit code. What the words mean is in `cli/main.ts`. */
import { main } from './cli/main.js';
import { heedSignals } from './cli/signals.js';

// Whoever reads the output may have seen enough (`| head`). The command goes on: what it found still decides the exit code,
// and a server does not stop because its log has no reader.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

heedSignals(process);
process.exitCode = await main(process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  // The first look at it opens it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  signals: process,
  exit: (code) => process.exit(code),
});
