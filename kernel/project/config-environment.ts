/** Variables of the environment that win over the config file. Reads values, tells none: an error names only the variable. */
import { isOrigin, METHODS } from '../analysis/config-schema.js';
import { isSocketPath } from '../analysis/config-websocket.js';
import type { Config } from '../analysis/config.js';
import { BootError } from '../contract/boot-error.js';
import type { Environment } from './environment.js';

/** The config with what the environment says instead. Throws BootError CFG_VARIABLE for a value that cannot be meant. */
export function withEnvironment(config: Config, env: Environment): Config {
  // Set to nothing is not set: an empty HOST would listen on every address.
  const text = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const number = (name: string, fallback: number, max: number): number => {
    const value = Number(text(name) ?? fallback);
    if (Number.isInteger(value) && value >= 0 && value <= max) return value;
    throw new BootError('CFG_VARIABLE', { name, expected: `a whole number up to ${max}` });
  };
  const flag = (name: string, fallback: boolean): boolean => {
    const value = (text(name) ?? String(fallback)).toLowerCase();
    if (value === 'true' || value === 'false') return value === 'true';
    throw new BootError('CFG_VARIABLE', { name, expected: '`true` or `false`' });
  };
  const { http, websocket } = config;
  return Object.freeze({
    ...config,
    websocket: Object.freeze({
      ...websocket,
      enabled: flag('ALLOW_WEBSOCKET_CONNECTIONS', websocket.enabled),
      path: socketPathOf(text('WEBSOCKET_ENDPOINT')) ?? websocket.path,
      force_uid: flag('FORCE_WEBSOCKET_WITH_UID', websocket.force_uid),
      force_token: flag('FORCE_WEBSOCKET_WITH_TOKEN', websocket.force_token),
    }),
    http: Object.freeze({
      ...http,
      port: number('PORT', http.port, 65_535),
      host: text('HOST') ?? http.host,
      methods: methodsOf(env['ALLOWED_HTTP_METHODS']) ?? http.methods,
      status_path: text('STATUS_ENDPOINT') ?? http.status_path,
      allowed_origins: originsOf(text('ALLOWED_ORIGINS')) ?? http.allowed_origins,
      limits: Object.freeze({
        ...http.limits,
        body: number('MAX_PAYLOAD_LIMIT', http.limits.body, Number.MAX_SAFE_INTEGER),
      }),
    }),
  });
}

function socketPathOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (isSocketPath(text)) return text;
  throw new BootError('CFG_VARIABLE', { name: 'WEBSOCKET_ENDPOINT', expected: 'a path like /ws' });
}

function originsOf(text: string | undefined): readonly string[] | null {
  if (text === undefined) return null;
  const origins = text.split('|').flatMap((origin) => origin.trim() || []);
  if (origins.every(isOrigin)) return origins;
  throw new BootError('CFG_VARIABLE', { name: 'ALLOWED_ORIGINS', expected: 'origins like https://app.example.com|*' });
}

function methodsOf(text: string | undefined): readonly string[] | null {
  if (text === undefined || text === '') return null;
  const verbs = text.split('|').map((verb) => verb.trim().toUpperCase());
  if (!verbs.every((verb) => METHODS.includes(verb))) {
    throw new BootError('CFG_VARIABLE', { name: 'ALLOWED_HTTP_METHODS', expected: `some of ${METHODS.join('|')}` });
  }
  return verbs;
}
