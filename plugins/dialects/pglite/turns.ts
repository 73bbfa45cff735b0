/** Executes the statements of one turn of the event loop before a response is written: one between wakes its reader, at the cost of a statement. */

/** What begins in one turn. */
export class Turn {
  readonly begun: Promise<void>;
  readonly #over: Promise<void>;
  #end: () => void = () => undefined;
  #left = 0;

  constructor(onBegin: () => void) {
    this.#over = new Promise((resolve) => (this.#end = resolve));
    this.begun = new Promise((resolve) => {
      setImmediate(() => {
        onBegin();
        resolve();
        // A transaction may last longer than the turn.
        setImmediate(this.#end);
      });
    });
  }

  enter(): this {
    this.#left++;
    return this;
  }

  /** Waits for the others. */
  leave(): Promise<void> {
    if (--this.#left === 0) this.#end();
    return this.#over;
  }
}

export interface Turns {
  enter(): Turn;
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  let next: Turn | null = null;
  const enter = (): Turn => (next ??= new Turn(() => (next = null))).enter();
  return {
    enter,
    async run(work) {
      const turn = enter();
      await turn.begun;
      try {
        return await work();
      } finally {
        await turn.leave();
      }
    },
  };
}
