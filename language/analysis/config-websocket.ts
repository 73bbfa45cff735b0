/** The config section `websocket`: its grammar and its defaults. */
import { isObject, type JsonObject } from '../../contract/json.js';
import type { CommonMistakes } from '../../contract/common-mistakes.js';
import { flag, numeric, shape, text } from '../../contract/combinators.js';
import type { WebSocketConfig } from '../../contract/websocket-config.js';

const LIMITS: WebSocketConfig['limits'] = {
  message: 65_536,
  rate: 20,
  in_flight: 16,
  buffered: 1_048_576,
  unfinished: 67_108_864,
  connections: 10_000,
  per_address: 2000,
  rooms: 100,
};

const DEFAULTS: WebSocketConfig = {
  enabled: false,
  path: '/ws',
  force_uid: false,
  force_token: false,
  uid_claim: 'id',
  ping: 30,
  limits: LIMITS,
};

const PATH = /^(\/[A-Za-z0-9._-]+)+$/;
/** True if the path needs no escaping in a URL. */
export const isSocketPath = (path: string): boolean => PATH.test(path);

const createLimitField = (doc: string, unit: string, value: number) =>
  numeric({ doc, unit, default: value }).integer().min(1);

const PATH_IS = { say: 'the path of the endpoint is `"path"`', rename: 'path' };
const ON = { say: 'clients may connect with `"enabled": true`', rename: 'enabled' };
const UID = { say: 'a uid is required with `"force_uid": true`', rename: 'force_uid' };
const TOKEN = { say: 'a token is required with `"force_token": true`', rename: 'force_token' };
const ORIGINS = 'the origins whose pages may connect are those of `"http": {"allowed_origins": [...]}`';
const SAME_PORT = 'clients connect where requests go, at `http.port`';
const IN_LIMITS = (name: string) => ({ say: `it is written \`"limits": {"${name}": ...}\``, means: 'limits' });
const MISTAKEN: CommonMistakes = {
  allow: ON,
  on: ON,
  active: ON,
  allow_connections: ON,
  ALLOW_WEBSOCKET_CONNECTIONS: ON,
  endpoint: PATH_IS,
  route: PATH_IS,
  url: PATH_IS,
  WEBSOCKET_ENDPOINT: PATH_IS,
  uid: UID,
  require_uid: UID,
  force_with_uid: UID,
  FORCE_WEBSOCKET_WITH_UID: UID,
  token: TOKEN,
  require_token: TOKEN,
  auth: TOKEN,
  authenticate: TOKEN,
  protected: TOKEN,
  FORCE_WEBSOCKET_WITH_TOKEN: TOKEN,
  origins: ORIGINS,
  allowed_origins: ORIGINS,
  cors: ORIGINS,
  port: SAME_PORT,
  host: SAME_PORT,
  heartbeat: { say: 'the interval of pings is `"ping"`, in seconds', rename: 'ping' },
  ping_interval: { say: 'the interval of pings is `"ping"`, in seconds', rename: 'ping' },
  max_payload: IN_LIMITS('message'),
  max_message_size: IN_LIMITS('message'),
  max_connections: IN_LIMITS('connections'),
  rate_limit: IN_LIMITS('rate'),
};

/** Made-up names of this section. */
export const WEBSOCKET_NAMES = ['ws', 'websockets', 'web_socket', 'webSocket', 'socket', 'sockets', 'realtime'];

export const createWebSocketSchema = () =>
  shape({
    enabled: flag({
      doc: 'Allows WebSocket connections. The environment variable ALLOW_WEBSOCKET_CONNECTIONS overrides it.',
      default: DEFAULTS.enabled,
    }),
    path: text({
      doc: 'Path of the WebSocket endpoint. The environment variable WEBSOCKET_ENDPOINT overrides it.',
      default: DEFAULTS.path,
      examples: ['/live'],
    }).matches(PATH),
    force_uid: flag({
      doc: 'Rejects connections without `?uid=`. The environment variable FORCE_WEBSOCKET_WITH_UID overrides it.',
      default: DEFAULTS.force_uid,
    }),
    force_token: flag({
      doc: 'Rejects connections without a token that a guard accepts (extension). The environment variable FORCE_WEBSOCKET_WITH_TOKEN overrides it.',
      default: DEFAULTS.force_token,
    }),
    uid_claim: text({
      doc: 'The claim of a token that contains the `uid` of the connection.',
      default: DEFAULTS.uid_claim,
      examples: ['sub'],
      complete: { source: 'claim' },
    }).min(1),
    ping: numeric({
      doc: 'Interval of pings. A connection that misses three is closed.',
      unit: 'seconds',
      default: DEFAULTS.ping,
    })
      .min(0.05)
      .max(3600),
    limits: shape({
      message: createLimitField('Maximum size of a message from a client.', 'bytes', LIMITS.message),
      rate: createLimitField('Maximum rate of messages of a connection.', 'messages per second', LIMITS.rate),
      in_flight: createLimitField(
        'Messages of a connection that are processed at the same time.',
        'messages',
        LIMITS.in_flight,
      ),
      buffered: createLimitField(
        'Maximum size of unread messages for a client. Beyond it, the connection is closed.',
        'bytes',
        LIMITS.buffered,
      ),
      unfinished: createLimitField(
        'Maximum number of bytes of unfinished messages that the process holds, of all connections together; of one address (for IPv6, of one /64) a quarter. Above it the connection that holds the most is closed (1013).',
        'bytes',
        LIMITS.unfinished,
      ),
      connections: createLimitField('Maximum number of connections of a process.', 'connections', LIMITS.connections),
      per_address: createLimitField(
        'Maximum number of connections of one address (for IPv6, of one /64). Behind a proxy all clients have its address, unless `http.trusted_proxies` counts it.',
        'connections',
        LIMITS.per_address,
      ),
      rooms: createLimitField('Maximum number of rooms of a connection.', 'rooms', LIMITS.rooms),
    }).meta({ doc: 'Limits of connections.' }),
  }).meta({
    doc: 'WebSocket connections.',
    form: '{"enabled": true}',
    short: { boolean: 'enabled', string: 'path' },
    mistaken: MISTAKEN,
  });

const getObject = (json: JsonObject, key: string): JsonObject => (isObject(json[key]) ? json[key] : {});

/** `config` must be valid. */
export function resolveWebSocketConfig(config: JsonObject): WebSocketConfig {
  const written = getObject(config, 'websocket');
  return { ...DEFAULTS, ...written, limits: { ...LIMITS, ...getObject(written, 'limits') } };
}
