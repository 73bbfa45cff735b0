/**
 * Loaded into a measured process (`node --expose-gc --import`): at SIGUSR2 garbage is collected, and the remaining
 * bytes are printed: of the heap, and of memory that objects of the heap hold outside it.
 */
const collect = (globalThis as { gc?: () => void }).gc;

process.on('SIGUSR2', () => {
  // Memory released by finalizers of the first collection is freed by the second.
  collect?.();
  setImmediate(() => {
    collect?.();
    const { heapUsed, external } = process.memoryUsage();
    process.stdout.write(`heap ${heapUsed} external ${external}\n`);
  });
});
