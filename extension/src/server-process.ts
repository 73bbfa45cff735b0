/**
 * How the process of the language server is started, in what only its start can say: room for what is new, and where the engine
 * keeps the code that it has compiled. Knows no editor, so that a benchmark starts the very same process.
 */

export interface ServerProcess {
  readonly execArgv: readonly string[];
  /** Added to the environment of the editor. */
  readonly env: Readonly<Record<string, string>>;
}

/** `folder`: of the user alone, since code is read from there; it is made when it is needed. */
export const serverProcess = (folder: string): ServerProcess => ({
  // Room for what is new in megabytes: the usual sixteen are never given back. One thread beside the server's own: each has its store.
  execArgv: ['--max-semi-space-size=2', '--v8-pool-size=1'],
  env: {
    // One store of the C library for all threads, instead of one for each, which keeps what it once had.
    MALLOC_ARENA_MAX: '1',
    // From its second start on, half of what the first problems take was compiling. Older engines do not know the name.
    NODE_COMPILE_CACHE: folder,
  },
});
