/**
 * Loaded into a process that is measured (`node --expose-gc --import`): at SIGUSR2 everything is collected that can be, and the bytes
 * that are left are printed: of the heap, and of what objects of the heap hold outside it.
 */
const collect = (globalThis as { gc?: () => void }).gc;

process.on('SIGUSR2', () => {
  // What a first collection sets free by its finalizers goes with the second.
  collect?.();
  setImmediate(() => {
    collect?.();
    const { heapUsed, external } = process.memoryUsage();
    process.stdout.write(`heap ${heapUsed} external ${external}\n`);
  });
});
