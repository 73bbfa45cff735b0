/** The process clock, for platform-free code (`contract/clock.ts`). */
export const clock = {
  now: (): number => performance.now(),
  wait: (milliseconds: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, milliseconds)),
};
