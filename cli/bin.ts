#!/usr/bin/env node
/** The entry point of the command line. `cli/main.ts` runs the commands. */
import module from 'node:module';
import { join } from 'node:path';
import { findPackageFolder } from '../language/project/package-folder.js';
import { main } from './main.js';
import { exitOnSignals } from './signals.js';

/** From Node 22.8. */
const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown };

// The code of a command is compiled once for an installation; the cache is keyed by content and safe to delete. Without
// permission to write there is none.
enableCompileCache?.(join(findPackageFolder(import.meta.url), 'dist/compile-cache'));

// Node 20 has no `navigator`, so pg creates a `Response` to recognize its platform: that loads undici, 4 MiB and 17 ms of a start.
if (!('navigator' in globalThis))
  Object.defineProperty(globalThis, 'navigator', { value: { userAgent: `Node.js/${process.versions.node}` } });

// The reader of the output may close it early (`| head`). The command continues, because its result decides the exit code and
// a server must not stop when its log has no reader.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

exitOnSignals(process);
process.exitCode = await main(process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  // A getter, because the first access to `process.stdin` opens it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  signals: process,
  exit: (code) => process.exit(code),
});
