/** The time of the process, for code that knows no platform. */
export const clock = {
  now: (): number => performance.now(),
  wait: (milliseconds: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, milliseconds)),
};
