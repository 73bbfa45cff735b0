/** The time of the process, for code that knows no platform (`contract/clock.ts`). */
export const clock = {
  now: (): number => performance.now(),
  wait: (milliseconds: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, milliseconds)),
};
