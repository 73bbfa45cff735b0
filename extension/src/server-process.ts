/** Options for starting the server's process. Imports no editor API, for benchmarks. */

export interface ServerProcess {
  readonly execArgv: readonly string[];
  /** Added to the editor's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** Writable by the user only, because compiled code is loaded from it. */
export const getServerProcess = (folder: string): ServerProcess => ({
  // V8 does not return the default semi-space of 16 MB; with 2 MB, what a letter in a large project leaves becomes old.
  // Each worker thread has a heap arena.
  execArgv: ['--max-semi-space-size=4', '--v8-pool-size=1'],
  env: {
    // One malloc arena for all threads; glibc keeps the memory of each arena.
    MALLOC_ARENA_MAX: '1',
    // Halves the time to the first diagnostics from the second start on.
    NODE_COMPILE_CACHE: folder,
  },
});
