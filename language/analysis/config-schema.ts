/** The kernel's fields of the config and their defaults; `config.ts` adds the sections of kinds. */
import { flag, list, numeric, record, shape, text } from '../../contract/combinators.js';
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

export interface ChainLimits {
  readonly actionables: number;
  readonly depth: number;
}

export const CHAINS: ChainLimits = Object.freeze({ actionables: 50, depth: 10 });

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
    plugins: list(
      text({
        doc: '`builtin:*`, a folder, or an installed package.',
        examples: ['builtin:*'],
        path: 'folder',
      }).required(),
      {
        doc: 'Plugins to load: `builtin:*` for the built-in ones, and folders with your own.',
        default: ['builtin:*'],
        examples: [['builtin:*', './my-plugins/limits']],
      },
    ),
    disable: list(text({ doc: 'A plugin id, or a pattern.', complete: { source: 'plugin-id' } }).required(), {
      doc: 'Plugins that are not loaded: ids (`generator:UUID`) or patterns (`generator:*`).',
      default: [],
    }),
    http: shape({
      port: numeric({
        doc: 'Port to listen on. The environment variable PORT overrides it. 0: any free port.',
        default: 8080,
      })
        .integer()
        .min(0)
        .max(65535),
      host: text({
        doc: 'Address to listen on. The environment variable HOST overrides it.',
        default: '127.0.0.1',
      }).min(1),
      hosts: list(
        text({ doc: 'A host name, a wildcard such as `*.example.com`, or `*` for all.' }).required().matches(HOST),
        {
          doc: 'Host names that requests may use, in addition to IP addresses and `localhost`. The environment variable ALLOWED_HOSTS (separated by `|`) overrides it. If empty, every name is accepted, except in `lintel dev` and on a loopback address without `trusted_proxies`.',
          default: [],
          examples: [['api.example.com']],
        },
      ),
      methods: list(text({ doc: 'An HTTP verb.' }).required().oneOf(METHODS), {
        doc: 'Verbs that every endpoint accepts. For GET and DELETE the query string is the payload.',
        default: ['POST'],
      }).min(1),
      status_path: text({ doc: 'Path of the status page.', default: '/status' }).matches(STATUS_PATH),
      limits: shape({
        body: createLimitField(
          'Maximum size of a body. The environment variable MAX_PAYLOAD_LIMIT overrides it.',
          'bytes',
          DEFAULTS.http.limits.body,
        ),
        depth: createLimitField('Maximum nesting of a body.', 'levels', DEFAULTS.http.limits.depth),
        keys: createLimitField(
          'Maximum number of properties in a body, over all objects.',
          'keys',
          DEFAULTS.http.limits.keys,
        ),
        array: createLimitField('Maximum length of an array in a body.', 'items', DEFAULTS.http.limits.array),
        url: createLimitField('Maximum length of a path with its query string.', 'bytes', DEFAULTS.http.limits.url),
        header_bytes: createLimitField(
          'Maximum size of all headers of a request.',
          'bytes',
          DEFAULTS.http.limits.header_bytes,
        ),
        header_count: createLimitField(
          'Maximum number of headers of a request.',
          'headers',
          DEFAULTS.http.limits.header_count,
        ),
        parts: createLimitField('Maximum number of parts of a form.', 'parts', DEFAULTS.http.limits.parts),
        field: createLimitField('Maximum size of a text part of a form.', 'bytes', DEFAULTS.http.limits.field),
        unread: createLimitField(
          'Maximum size of all responses that clients have not read yet. Beyond it, the connections that stand still longest are closed, then the slowest.',
          'bytes',
          DEFAULTS.http.limits.unread,
        ),
      }).meta({ doc: 'Limits of requests and responses.' }),
      allowed_origins: list(
        text({ doc: 'An origin (`https://app.example.com`), or `*` for all.' }).required().matches(ORIGIN),
        {
          doc: 'Origins whose pages may send requests from a browser (CORS). The environment variable ALLOWED_ORIGINS (separated by `|`) overrides it. None by default.',
          default: [],
          examples: [['https://app.example.com']],
        },
      ),
      trusted_proxies: numeric({
        doc: 'Number of proxies in front of the server. That many entries at the end of `X-Forwarded-For` are trusted.',
        unit: 'proxies',
        default: 0,
      })
        .integer()
        .min(0)
        .max(10),
      headers: record(text({ doc: 'Its value. An empty text removes the header.' }).matches(/^[\x20-\x7e]*$/), {
        doc: 'Headers of every response. They override the default ones.',
        complete: { source: 'header-name', of: 'answer' },
        examples: [{ 'strict-transport-security': 'max-age=31536000' }],
      }),
      timeouts: shape({
        headers: createSecondsField('Time to receive the headers of a request.', DEFAULTS.http.timeouts.headers),
        request: createSecondsField(
          'Time to receive and answer a request, including all waiting (for a connection, a statement, a lock, a call, a limiter). After it the response is 503 or 504, and one that is streamed is cut off.',
          DEFAULTS.http.timeouts.request,
        ),
        idle: createSecondsField(
          'Maximum pause of a client that sends a form or reads a response.',
          DEFAULTS.http.timeouts.idle,
        ),
        keep_alive: createSecondsField(
          'How long a connection stays open without a request. Set it longer than the keep-alive of the proxy in front, so that the proxy does not use a connection that is being closed.',
          DEFAULTS.http.timeouts.keep_alive,
        ),
        drain: createSecondsField(
          'Time for running requests and deferred work to finish when the server stops.',
          DEFAULTS.http.timeouts.drain,
        ),
        linger: numeric({
          doc: 'How long a stopping server reports that it is not ready and still accepts requests, so that a load balancer can remove it.',
          unit: 'seconds',
          default: DEFAULTS.http.timeouts.linger,
        })
          .min(0)
          .max(3600),
      }).meta({ doc: 'Timeouts of requests.' }),
    }).meta({ doc: 'The HTTP server.' }),
    websocket: createWebSocketSchema(),
    outbound: createOutboundSchema(),
    migrate: flag({
      doc: 'Create missing tables, columns and indexes when definitions are loaded. Nothing is ever dropped.',
      default: true,
    }),
    chains: createChainSchema(),
    deadlines: shape({
      open: numeric({ doc: 'Time for a plugin to connect.', unit: 'seconds', default: 30 }).min(0.1),
      close: numeric({ doc: 'Time for a plugin to close.', unit: 'seconds', default: 10 }).min(0.1),
    }).meta({ doc: 'Timeouts of plugins.', advanced: true }),
    profile: text({
      doc: 'Compatibility mode: serves definitions written for another system in the way of that system.',
      enumDocs: {
        sub0: 'The envelope `success-message-data`; NULL for parameters that the payload lacks; `on_problem: "skip"`; GET in addition to POST; errors as `application/json`; models by their shape; the forms of its environment.',
      },
    }).oneOf(PROFILES),
    testing: flag({
      doc: 'Allows definitions to use features for tests only, such as a fixed nonce. Never set it in production.',
      default: false,
    }),
    on_problem: text({
      doc: 'What `lintel serve` does with definitions that have errors.',
      enumDocs: {
        refuse: 'It does not start.',
        skip: 'Resources with errors return 503; the others are served.',
      },
      default: 'refuse',
    }).oneOf(['refuse', 'skip']),
    docs: text({
      doc: 'Base URL of your pages about errors. The `type` of every error response begins with it.',
      default: DEFAULTS.docs,
    }).min(1),
  });

const createChainSchema = () =>
  shape({
    actionables: numeric({
      doc: 'Maximum number of actionables that run for one request, including those of other resources.',
      unit: 'actionables',
      default: CHAINS.actionables,
    })
      .integer()
      .min(1)
      .max(10_000),
    depth: numeric({
      doc: 'Maximum length of a chain of actionables that depend on each other.',
      unit: 'actionables',
      default: CHAINS.depth,
    })
      .integer()
      .min(1)
      .max(1000),
  }).meta({ doc: 'Limits on the actionables that one request runs.', advanced: true });
