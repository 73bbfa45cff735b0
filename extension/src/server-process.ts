/**
 * Options for starting the server's process (heap sizes, compile cache). Imports no editor API, so benchmarks start the same
 * process.
 */

export interface ServerProcess {
  readonly execArgv: readonly string[];
  /** Added to the editor's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** `folder` must be writable by the user only, because compiled code is loaded from it; Node creates it on demand. */
export const getServerProcess = (folder: string): ServerProcess => ({
  // V8 does not return the default semi-space of 16 MB; with 2 MB, what a letter in a large project leaves becomes old.
  // One worker thread, because each has its own heap arena.
  execArgv: ['--max-semi-space-size=4', '--v8-pool-size=1'],
  env: {
    // One malloc arena for all threads; glibc keeps the memory of each arena.
    MALLOC_ARENA_MAX: '1',
    // From the second start on, halves the time to the first diagnostics. Older Node versions ignore it.
    NODE_COMPILE_CACHE: folder,
  },
});
