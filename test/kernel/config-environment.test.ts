/** Settings of the config that variables of the environment replace. */
import { expect } from 'chai';
import { BootError } from '../../kernel/contract/boot-error.js';
import type { Config } from '../../kernel/analysis/config.js';
import { withEnvironment } from '../../kernel/project/config-environment.js';

const CONFIG = {
  websocket: { enabled: false, path: '/ws', force_uid: true, force_token: false },
  http: {
    port: 8080,
    host: '127.0.0.1',
    methods: ['POST'],
    status_path: '/status',
    allowed_origins: ['*'],
    limits: { body: 100 },
  },
} as unknown as Config;

function refused(env: Record<string, string>): unknown {
  try {
    withEnvironment(CONFIG, env);
  } catch (error) {
    if (error instanceof BootError) return [error.code, error.params['name']];
    throw error;
  }
  return null;
}

describe('settings from the environment', () => {
  it('replace those of the config; a variable that is empty replaces nothing', () => {
    const { http, websocket } = withEnvironment(CONFIG, { PORT: '0', HOST: '', MAX_PAYLOAD_LIMIT: '7' });
    expect([http.port, http.host, http.limits.body, websocket.path]).to.deep.equal([0, '127.0.0.1', 7, '/ws']);
  });

  it('read true and false in any case, and refuse other words', () => {
    const enabled = (text: string): boolean =>
      withEnvironment(CONFIG, { ALLOW_WEBSOCKET_CONNECTIONS: text }).websocket.enabled;
    expect([enabled('true'), enabled('TRUE'), enabled('False'), enabled('')]).to.deep.equal([true, true, false, false]);
    expect(withEnvironment(CONFIG, { FORCE_WEBSOCKET_WITH_UID: 'False' }).websocket.force_uid).to.equal(false);
    for (const text of ['1', 'yes', ' true'])
      expect(refused({ FORCE_WEBSOCKET_WITH_UID: text }), text).to.deep.equal([
        'CFG_VARIABLE',
        'FORCE_WEBSOCKET_WITH_UID',
      ]);
  });

  it('refuse numbers that are not whole, below zero, or too large', () => {
    for (const text of ['-1', '1.5', '65536', 'x'])
      expect(refused({ PORT: text }), text).to.deep.equal(['CFG_VARIABLE', 'PORT']);
    expect(withEnvironment(CONFIG, { PORT: '65535' }).http.port).to.equal(65_535);
  });
});
