/** The kernel's own fields of the config file and their defaults; `config.ts` adds the sections of plugin kinds. */
import { flag, list, numeric, record, shape, text } from '../../contract/combinators.js';
import { CHAINS, createChainSchema } from './accessor-paths.js';
import { createOutboundSchema } from './config-outbound.js';
import { createWebSocketSchema } from './config-websocket.js';

const PROFILES = ['sub0'] as const;

export const METHODS: readonly string[] = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];

const ORIGIN = /^(\*|https?:\/\/[a-z0-9.-]+(:\d{1,5})?)$/;
/** An origin as browsers send it, or `*`. */
export const isOrigin = (text: string): boolean => ORIGIN.test(text);

const HOST = /^(\*|(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*)$/;
/** A host name, a wildcard such as `*.example.com`, or `*`. */
export const isHost = (text: string): boolean => HOST.test(text);

const STATUS_PATH = /^\/[A-Za-z0-9/_-]+$/;
export const isStatusPath = (path: string): boolean => STATUS_PATH.test(path);

export const DEFAULTS = {
  definitions: ['definitions/**/*.json', 'definitions/**/*.jsonc'],
  plugins: ['builtin:*'],
  disable: [],
  http: {
    port: 8080,
    host: '127.0.0.1',
    hosts: [],
    methods: ['POST'],
    status_path: '/status',
    allowed_origins: [],
    trusted_proxies: 0,
    headers: {},
    limits: {
      body: 1_048_576,
      depth: 32,
      keys: 1000,
      array: 10_000,
      url: 8192,
      header_bytes: 16_384,
      header_count: 100,
      parts: 20,
      field: 65_536,
      unread: 134_217_728,
    },
    timeouts: { headers: 10, request: 30, idle: 10, keep_alive: 75, drain: 25, linger: 0 },
  },
  migrate: true,
  chains: CHAINS,
  deadlines: { open: 30, close: 10 },
  docs: 'urn:lintel:error:',
  profile: null,
  testing: false,
  on_problem: 'refuse',
} as const;

const createSecondsField = (doc: string, value: number) =>
  numeric({ doc, unit: 'seconds', default: value }).min(0.1).max(3600);
const createLimitField = (doc: string, unit: string, value: number) =>
  numeric({ doc, unit, default: value }).integer().min(1);

export const createConfigSchema = () =>
  shape({
    $schema: text({ doc: 'JSON Schema of this file, for editors.', advanced: true, path: 'file' }),
    definitions: list(text({ doc: 'A glob.', complete: { source: 'glob' } }).required(), {
      doc: 'Globs of definition files, relative to the config file.',
      default: [...DEFAULTS.definitions],
    }),
    plugins: list(text({ doc: '`builtin:*`, or a folder.', examples: ['builtin:*'], path: 'folder' }).required(), {
      doc: 'Plugins to load: those of the distribution, and folders with plugins of your own.',
      default: ['builtin:*'],
      examples: [['builtin:*', './my-plugins/limits']],
    }),
    disable: list(text({ doc: 'A plugin id, or a pattern.', complete: { source: 'plugin-id' } }).required(), {
      doc: 'Plugins that are not to be had: ids (`generator:UUID`) or patterns (`generator:*`).',
      default: [],
    }),
    http: shape({
      port: numeric({ doc: 'Port to listen on; the variable PORT wins. 0 takes any free one.', default: 8080 })
        .integer()
        .min(0)
        .max(65535),
      host: text({ doc: 'Address to listen on; the variable HOST wins.', default: '127.0.0.1' }).min(1),
      hosts: list(text({ doc: 'A name, `*.` and the end of names, or `*` for all.' }).required().matches(HOST), {
        doc: 'Names under which the server answers, besides addresses and `localhost`; the variable ALLOWED_HOSTS (separated by `|`) wins. Without it every name is answered, except in `lintel dev` and on an address of this machine without `trusted_proxies`.',
        default: [],
        examples: [['api.example.com']],
      }),
      methods: list(text({ doc: 'An HTTP verb.' }).required().oneOf(METHODS), {
        doc: 'Verbs that every endpoint answers. For GET and DELETE the query string is the payload.',
        default: ['POST'],
      }).min(1),
      status_path: text({ doc: 'Path of the status page.', default: '/status' }).matches(STATUS_PATH),
      limits: shape({
        body: createLimitField(
          'Largest body; the variable MAX_PAYLOAD_LIMIT wins.',
          'bytes',
          DEFAULTS.http.limits.body,
        ),
        depth: createLimitField('Deepest nesting of a body.', 'levels', DEFAULTS.http.limits.depth),
        keys: createLimitField('Most properties in a body, all objects together.', 'keys', DEFAULTS.http.limits.keys),
        array: createLimitField('Longest array in a body.', 'items', DEFAULTS.http.limits.array),
        url: createLimitField('Longest path with its query string.', 'bytes', DEFAULTS.http.limits.url),
        header_bytes: createLimitField(
          'All headers of a request together.',
          'bytes',
          DEFAULTS.http.limits.header_bytes,
        ),
        header_count: createLimitField('Most headers of a request.', 'headers', DEFAULTS.http.limits.header_count),
        parts: createLimitField('Most parts of a form.', 'parts', DEFAULTS.http.limits.parts),
        field: createLimitField('Longest text part of a form.', 'bytes', DEFAULTS.http.limits.field),
        unread: createLimitField(
          'Answers that their clients do not read, all together; beyond it the connections of those are closed that have waited longest.',
          'bytes',
          DEFAULTS.http.limits.unread,
        ),
      }).meta({ doc: 'Limits of requests and answers.' }),
      allowed_origins: list(
        text({ doc: 'An origin (`https://app.example.com`), or `*` for all.' }).required().matches(ORIGIN),
        {
          doc: 'Origins whose pages may call from a browser; the variable ALLOWED_ORIGINS (separated by `|`) wins. None by default.',
          default: [],
          examples: [['https://app.example.com']],
        },
      ),
      trusted_proxies: numeric({
        doc: 'How many proxies stand in front. That many entries at the end of `X-Forwarded-For` are believed, no more.',
        unit: 'proxies',
        default: 0,
      })
        .integer()
        .min(0)
        .max(10),
      headers: record(text({ doc: 'Its value; empty text takes the header away.' }).matches(/^[\x20-\x7e]*$/), {
        doc: 'Headers of every answer, laid over those that are there by default.',
        complete: { source: 'header-name', of: 'answer' },
        examples: [{ 'strict-transport-security': 'max-age=31536000' }],
      }),
      timeouts: shape({
        headers: createSecondsField(
          'Within what time the headers of a request must have come.',
          DEFAULTS.http.timeouts.headers,
        ),
        request: createSecondsField(
          'Within what time a request must have come whole, and be answered: nothing is waited for any longer (a connection, a statement, a lock, a call, a turn), and then the answer is 503 or 504.',
          DEFAULTS.http.timeouts.request,
        ),
        idle: createSecondsField('How long the sender of a form, or a reader, may rest.', DEFAULTS.http.timeouts.idle),
        keep_alive: createSecondsField(
          'How long a connection stays open without a request. Longer than the proxy in front keeps it, or that one uses a connection that is being closed.',
          DEFAULTS.http.timeouts.keep_alive,
        ),
        drain: createSecondsField(
          'How long requests and deferred work under way may take once the server is told to stop.',
          DEFAULTS.http.timeouts.drain,
        ),
        linger: numeric({
          doc: 'How long a server that was told to stop still takes requests, no longer ready: so that a balancer can notice.',
          unit: 'seconds',
          default: DEFAULTS.http.timeouts.linger,
        })
          .min(0)
          .max(3600),
      }).meta({ doc: 'Deadlines of requests.' }),
    }).meta({ doc: 'The HTTP server.' }),
    websocket: createWebSocketSchema(),
    outbound: createOutboundSchema(),
    migrate: flag({
      doc: 'Create missing tables, columns and indexes when definitions are loaded. Nothing is ever dropped.',
      default: true,
    }),
    chains: createChainSchema(),
    deadlines: shape({
      open: numeric({ doc: 'How long a plugin may take to connect.', unit: 'seconds', default: 30 }).min(0.1),
      close: numeric({ doc: 'How long a plugin may take to close.', unit: 'seconds', default: 10 }).min(0.1),
    }).meta({ doc: 'Deadlines of plugins.', advanced: true }),
    profile: text({
      doc: 'Serves definitions that were written for another system of the same interface the way that system does.',
      enumDocs: {
        sub0: 'The envelope `success-message-data`; NULL for parameters that the payload lacks; `on_problem: "skip"`; GET beside POST; errors as `application/json`; models by their shape; the forms of its environment.',
      },
    }).oneOf(PROFILES),
    testing: flag({
      doc: 'Definitions may do what only tests should, such as writing down a nonce. Never where anybody relies on the service.',
      default: false,
    }),
    on_problem: text({
      doc: 'What `lintel serve` does with definitions that have errors.',
      enumDocs: {
        refuse: 'It does not start.',
        skip: 'Resources with errors answer 503, the others are served.',
      },
      default: 'refuse',
    }).oneOf(['refuse', 'skip']),
    docs: text({
      doc: 'Address under which your error pages stand; problem types begin with it.',
      default: DEFAULTS.docs,
    }).min(1),
  });
