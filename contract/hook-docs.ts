/** Describes every hook, for reference pages and the checks of taps. */
import type { HookName } from './hooks.js';

export interface HookDoc {
  /** Half a sentence. */
  readonly when: string;
  /** The names of the tap's parameters. */
  readonly given: readonly string[];
  /**
   * `look`: the return value is ignored. `change`: it replaces the first parameter. `answer`: it may end the request.
   */
  readonly may: 'look' | 'change' | 'answer';
  readonly sync?: true;
  /** Belongs to the process, not to a request. */
  readonly life?: true;
  /** Markdown for plugin authors. */
  readonly more?: string;
  /** TypeScript, with the registrar as `hooks`. */
  readonly example: string;
}

export const HOOK_DOCS: Readonly<Record<HookName, HookDoc>> = Object.freeze({
  configure: {
    when: 'After the runtimes have registered, before the config is frozen',
    given: ['config'],
    may: 'change',
    sync: true,
    example: "hooks.tap('configure', (config) => ({ ...(config as object), profile: 'production' }));",
  },
  compile: {
    when: 'Before a valid resource is compiled, and again at every reload',
    given: ['resource'],
    may: 'look',
    sync: true,
    more: 'Throw to reject the resource.',
    example: "hooks.tap('compile', ({ id }) => console.log(`compiling ${id}`));",
  },
  ready: {
    when: 'When every plugin is open, before the server listens',
    given: ['kernel'],
    may: 'look',
    life: true,
    more: 'If a server was unavailable at the start, the process already listens.',
    example: "hooks.tap('ready', ({ resources }) => console.log(`${resources.length} resources`));",
  },
  close: {
    when: 'At shutdown: all requests have ended, every plugin is still open',
    given: ['reason'],
    may: 'look',
    life: true,
    example: "hooks.tap('close', (reason) => console.log(`closed: ${reason}`), { stage: Stage.LATE });",
  },
  accept: {
    when: 'For every request, message and run, before its guards',
    given: ['invocation'],
    may: 'answer',
    more: 'A tap that returns `done(value)` ends the request with this response.',
    example: [
      "hooks.tap('accept', async ({ id }) => {",
      "  if (id.startsWith('probe-')) return done({ status: 'ok' });",
      '});',
    ].join('\n'),
  },
  'before-validate': {
    when: 'For every actionable that will run, before the rules of the payload are checked',
    given: ['frame', 'action'],
    may: 'look',
    example: "hooks.tap('before-validate', (frame, { key }) => console.log(`${key} is next`));",
  },
  execute: {
    when: 'When an actionable of the mode named in the options is executed',
    given: ['frame', 'action'],
    may: 'answer',
    more: 'The options name the mode. A tap that returns `done(result)` replaces the execution.',
    example: [
      'hooks.tap(',
      "  'execute',",
      '  async (frame, { key }) => {',
      "    if (key === '2') return done(null);",
      '  },',
      "  { mode: 'EXAMPLE' },",
      ');',
    ].join('\n'),
  },
  reply: {
    when: 'For every successful response, when it is complete',
    given: ['reply', 'invocation'],
    may: 'change',
    example: "hooks.tap('reply', (reply) => ({ ...reply, headers: { ...reply.headers, 'x-served-by': 'lintel' } }));",
  },
  broadcast: {
    when: 'For every message to connected clients, before it is sent',
    given: ['message', 'frame'],
    may: 'change',
    example: "hooks.tap('broadcast', (message) => message);",
  },
  'after-response': {
    when: 'After a response has been sent',
    given: ['record'],
    may: 'look',
    more: 'The record contains no value of the request.',
    example: "hooks.tap('after-response', ({ resource, status }) => console.log(resource, status));",
  },
  happening: {
    when: 'For events outside requests: connections, messages to them, jobs, skipped runs',
    given: ['event'],
    may: 'look',
    sync: true,
    example: "hooks.tap('happening', (event) => console.log(event.what));",
  },
});

export const HOOK_NAMES = Object.keys(HOOK_DOCS) as readonly HookName[];
