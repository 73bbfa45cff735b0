/** The scheduler of this process. */
import { defineRuntime } from '../../../contract/plugin.js';
import { scheduler } from '../../schedulers/kind.js';
import { trigger } from '../kind.js';
import { createCronScheduler, type CronScheduler } from './cron-scheduler.js';
import type { TimeSource } from './active-runs.js';

/** Timers do not keep the process alive. */
const TIME: TimeSource = {
  now: () => Date.now(),
  setTimer(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

interface Handle {
  /** Null in a context without a kernel. */
  readonly clock: CronScheduler | null;
}

export default defineRuntime<object, Handle>(trigger, {
  create({ running, log, resolve }) {
    const ledger = resolve(scheduler, 'scheduler');
    return {
      clock: running === undefined ? null : createCronScheduler({ running, scheduler: ledger, log, time: TIME }),
    };
  },

  serve({ clock }) {
    clock?.begin();
    return Promise.resolve();
  },

  startSchedule: async ({ clock }, key) => (clock === null ? null : clock.startNow(key)),

  async drain({ clock }) {
    await clock?.drain();
  },

  async releaseClaims({ clock }) {
    await clock?.releaseClaims();
  },

  async close({ clock }) {
    await clock?.drain();
  },
});
