/**
 * Environment variables that override the config. Errors never contain values. The `sub0` profile also accepts
 * earlier formats.
 */
import { isHost, isOrigin, isStatusPath, METHODS } from '../analysis/config-schema.js';
import { isSocketPath } from '../analysis/config-websocket.js';
import type { Config } from '../analysis/config.js';
import { BootError } from '../../contract/boot-error.js';
import { isSub0 } from '../../contract/profile.js';
import type { Environment } from './environment.js';

/** A variable in another format. */
export interface ConvertedVariable {
  readonly name: string;
  readonly as: string;
}

interface Setting<T> {
  readonly name: string;
  readonly expected: string;
  /** Undefined when invalid. */
  read(text: string): T | undefined;
  /** Converts the earlier system's format. */
  readonly lenient?: (text: string) => string;
}

const createWholeSetting = (name: string, max: number): Setting<number> => ({
  name,
  expected: `a whole number up to ${max}`,
  read(text) {
    const value = Number(text);
    return Number.isInteger(value) && value >= 0 && value <= max ? value : undefined;
  },
});

const FLAGS: Readonly<Record<string, string>> = { '1': 'true', yes: 'true', '0': 'false', no: 'false' };

const createFlagSetting = (name: string): Setting<boolean> => ({
  name,
  expected: '`true` or `false`',
  read: (text) => ({ true: true, false: false })[text.toLowerCase()],
  lenient: (text) => FLAGS[text.trim().toLowerCase()] ?? text.trim(),
});

const createPathSetting = (name: string, example: string, isPath: (text: string) => boolean): Setting<string> => ({
  name,
  expected: `a path like ${example}`,
  read: (text) => (isPath(text) ? text : undefined),
  lenient: (text) => (text.startsWith('/') ? text : `/${text}`),
});

const splitList = (text: string): string[] => text.split('|').flatMap((item) => item.trim() || []);

/** Development servers usually have no TLS. */
const LOCAL = /^(localhost|127\.0\.0\.1)(:|$)/;

function toOrigin(text: string): string {
  const bare = text.toLowerCase().replace(/\/+$/, '');
  if (bare === '*' || bare.includes('://')) return bare;
  return `${LOCAL.test(bare) ? 'http' : 'https'}://${bare}`;
}

const ORIGINS: Setting<readonly string[]> = {
  name: 'ALLOWED_ORIGINS',
  expected: 'origins like https://app.example.com|*',
  read: (text) => (splitList(text).every(isOrigin) ? splitList(text) : undefined),
  lenient: (text) => splitList(text).map(toOrigin).join('|'),
};

const HOSTS: Setting<readonly string[]> = {
  name: 'ALLOWED_HOSTS',
  expected: 'names like api.example.com|*.example.org',
  read: (text) => (splitList(text).every(isHost) ? splitList(text) : undefined),
};

const VERBS: Setting<readonly string[]> = {
  name: 'ALLOWED_HTTP_METHODS',
  expected: `some of ${METHODS.join('|')}`,
  read(text) {
    const verbs = text.split('|').map((verb) => verb.trim().toUpperCase());
    return verbs.every((verb) => METHODS.includes(verb)) ? verbs : undefined;
  },
  lenient: (text) =>
    splitList(text)
      .filter((verb) => verb.toUpperCase() !== 'OPTIONS')
      .join('|') || 'POST',
};

/** Throws BootError CFG_VARIABLE, which names every invalid variable. */
export function applyEnvironment(config: Config, env: Environment, note?: (taken: ConvertedVariable) => void): Config {
  const wrong: Setting<unknown>[] = [];
  const isLenient = isSub0(config.profile);
  const resolveSetting = <T>(setting: Setting<T>, fallback: T): T => {
    const { name, lenient } = setting;
    const text = env[name];
    // An empty HOST would listen on every address.
    if (text === undefined || text === '') return fallback;
    const own = setting.read(text);
    if (own !== undefined) return own;
    const as = isLenient && lenient !== undefined ? lenient(text) : '';
    const value = as === '' ? undefined : setting.read(as);
    if (value === undefined) {
      wrong.push(setting);
      return fallback;
    }
    note?.({ name, as });
    return value;
  };
  const { http, websocket } = config;
  const settled = Object.freeze({
    ...config,
    websocket: Object.freeze({
      ...websocket,
      enabled: resolveSetting(createFlagSetting('ALLOW_WEBSOCKET_CONNECTIONS'), websocket.enabled),
      path: resolveSetting(createPathSetting('WEBSOCKET_ENDPOINT', '/ws', isSocketPath), websocket.path),
      force_uid: resolveSetting(createFlagSetting('FORCE_WEBSOCKET_WITH_UID'), websocket.force_uid),
      force_token: resolveSetting(createFlagSetting('FORCE_WEBSOCKET_WITH_TOKEN'), websocket.force_token),
    }),
    http: Object.freeze({
      ...http,
      port: resolveSetting(createWholeSetting('PORT', 65_535), http.port),
      host: env['HOST'] === undefined || env['HOST'] === '' ? http.host : env['HOST'],
      hosts: resolveSetting(HOSTS, http.hosts),
      methods: resolveSetting(VERBS, http.methods),
      status_path: resolveSetting(createPathSetting('STATUS_ENDPOINT', '/status', isStatusPath), http.status_path),
      allowed_origins: resolveSetting(ORIGINS, http.allowed_origins),
      limits: Object.freeze({
        ...http.limits,
        body: resolveSetting(createWholeSetting('MAX_PAYLOAD_LIMIT', Number.MAX_SAFE_INTEGER), http.limits.body),
      }),
    }),
  });
  const [first, ...others] = wrong;
  if (first === undefined) return settled;
  const more = others.map(({ name, expected }) => `; "${name}" must be ${expected}`).join('');
  throw new BootError('CFG_VARIABLE', { name: first.name, expected: `${first.expected}${more}` });
}
