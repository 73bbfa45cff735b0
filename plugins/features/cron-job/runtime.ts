/** Runtime of `cron_job`: says when an actionable is due, and keeps the clock of this process. */
import { BootError } from '../../../kernel/contract/boot-error.js';
import { asText, isObject } from '../../../kernel/contract/json.js';
import { defineRuntime, type RuntimeContext } from '../../../kernel/contract/plugin.js';
import { feature, type Feature } from '../../kinds/feature.js';
import { scheduler } from '../../kinds/scheduler.js';
import { createClock, type Clock, type Time } from './clock.js';

/** Of the process. Timers do not keep it alive. */
const TIME: Time = {
  now: Date.now,
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** By handle, and by context for hooks, which are tapped before there is a handle. */
const clocks = new WeakMap<Feature | RuntimeContext, Clock>();
/** A reload is the first to use the plugin: the kernel was ready long ago. */
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
    const clock = createClock({ running, scheduler: ledger, log, time: TIME });
    clocks.set(handle, clock).set(context, clock);
    return handle;
  },

  open(handle, context) {
    if (late.has(context)) clocks.get(handle)?.begin();
    return Promise.resolve();
  },

  async drain(handle) {
    await clocks.get(handle)?.rest();
  },

  async abandon(handle) {
    await clocks.get(handle)?.abandon();
  },

  async close(handle) {
    await clocks.get(handle)?.rest();
  },
});
