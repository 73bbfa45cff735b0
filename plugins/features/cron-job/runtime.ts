/** Runtime of `cron_job`: registers when an actionable is due, and owns the scheduler of this process. */
import { BootError } from '../../../contract/boot-error.js';
import { asText, isObject } from '../../../contract/json.js';
import { defineRuntime, type RuntimeContext } from '../../../contract/plugin.js';
import { feature, type Feature } from '../kind.js';
import { scheduler } from '../../schedulers/kind.js';
import { createCronScheduler, type CronScheduler, type TimeSource } from './cron-scheduler.js';

/** Timers do not keep the process alive. */
const TIME: TimeSource = {
  now: Date.now,
  setTimer(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** By handle, and by context for hooks that are registered before the handle exists. */
const clocks = new WeakMap<Feature | RuntimeContext, CronScheduler>();
/** Contexts created by a reload after the kernel's `ready` event. */
const late = new WeakSet<RuntimeContext>();

export default defineRuntime(feature, {
  register(hooks, context) {
    try {
      hooks.tap('ready', () => clocks.get(context)?.begin());
    } catch (error) {
      if (!(error instanceof BootError) || error.code !== 'KRN_SEALED') throw error;
      late.add(context);
    }
  },

  create(context) {
    const { running, log, resolve } = context;
    const ledger = resolve(scheduler, 'scheduler');
    const handle: Feature = {
      plan({ value }) {
        const written = isObject(value['cron_job']) ? value['cron_job'] : {};
        const expression = asText(written['execution_interval']);
        const zone = asText(written['time_zone']) || ledger.settings.zone;
        return { steps: [], schedule: { expression, zone } };
      },
    };
    if (running === undefined) return handle;
    const clock = createCronScheduler({ running, scheduler: ledger, log, time: TIME });
    clocks.set(handle, clock).set(context, clock);
    return handle;
  },

  open(handle, context) {
    if (late.has(context)) clocks.get(handle)?.begin();
    return Promise.resolve();
  },

  async drain(handle) {
    await clocks.get(handle)?.drain();
  },

  async releaseClaims(handle) {
    await clocks.get(handle)?.releaseClaims();
  },

  async close(handle) {
    await clocks.get(handle)?.drain();
  },
});
