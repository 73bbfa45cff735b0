/**
 * Options for starting the language server's process (heap sizes, compile cache). Imports no editor API, so benchmarks start the
 * same process.
 */

export interface ServerProcess {
  readonly execArgv: readonly string[];
  /** Added to the editor's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** `folder` must be writable by the user only, because compiled code is loaded from it; Node creates it on demand. */
export const serverProcess = (folder: string): ServerProcess => ({
  // A 2 MB semi-space, because V8 does not return the default 16 MB. One worker thread in V8's pool, because each thread has its
  // own heap arena.
  execArgv: ['--max-semi-space-size=2', '--v8-pool-size=1'],
  env: {
    // One malloc arena for all threads; glibc keeps the memory of each arena.
    MALLOC_ARENA_MAX: '1',
    // From the second start on, the compile cache halves the time to the first diagnostics. Older Node versions ignore the
    // variable.
    NODE_COMPILE_CACHE: folder,
  },
});
