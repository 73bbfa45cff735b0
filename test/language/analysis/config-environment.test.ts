/** Settings of the config that variables of the environment replace. */
import { expect } from 'chai';
import { BootError } from '../../../contract/boot-error.js';
import type { Config } from '../../../language/analysis/config.js';
import { applyEnvironment } from '../../../language/project/config-environment.js';

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

const SUB0: Config = { ...CONFIG, profile: 'sub0' };

function catchConfigError(env: Record<string, string>, config = CONFIG): unknown {
  try {
    applyEnvironment(config, env);
  } catch (error) {
    if (error instanceof BootError) return [error.code, error.params['name']];
    throw error;
  }
  return null;
}

describe('settings from the environment', () => {
  it('override those of the config; an empty variable overrides nothing', () => {
    const { http, websocket } = applyEnvironment(CONFIG, { PORT: '0', HOST: '', MAX_PAYLOAD_LIMIT: '7' });
    expect([http.port, http.host, http.limits.body, websocket.path]).to.deep.equal([0, '127.0.0.1', 7, '/ws']);
  });

  it('read true and false in any case, and reject other texts', () => {
    const enabled = (text: string): boolean =>
      applyEnvironment(CONFIG, { ALLOW_WEBSOCKET_CONNECTIONS: text }).websocket.enabled;
    expect([enabled('true'), enabled('TRUE'), enabled('False'), enabled('')]).to.deep.equal([true, true, false, false]);
    expect(applyEnvironment(CONFIG, { FORCE_WEBSOCKET_WITH_UID: 'False' }).websocket.force_uid).to.equal(false);
    for (const text of ['1', 'yes', ' true'])
      expect(catchConfigError({ FORCE_WEBSOCKET_WITH_UID: text }), text).to.deep.equal([
        'CFG_VARIABLE',
        'FORCE_WEBSOCKET_WITH_UID',
      ]);
  });

  it('accept the forms of the earlier system in its profile only, with a note', () => {
    const env = {
      ALLOW_WEBSOCKET_CONNECTIONS: '1',
      FORCE_WEBSOCKET_WITH_UID: ' No',
      WEBSOCKET_ENDPOINT: 'live',
      STATUS_ENDPOINT: 'health',
      ALLOWED_HTTP_METHODS: 'POST | options',
      ALLOWED_ORIGINS: 'app.a.test|https://B.test/|localhost:5173|http://127.0.0.1|*',
    };
    const noted: string[] = [];
    const { http, websocket } = applyEnvironment(SUB0, env, ({ name, as }) => noted.push(`${name}=${as}`));
    expect([websocket.enabled, websocket.force_uid, websocket.path]).to.deep.equal([true, false, '/live']);
    expect([http.status_path, http.methods]).to.deep.equal(['/health', ['POST']]);
    const origins = ['https://app.a.test', 'https://b.test', 'http://localhost:5173', 'http://127.0.0.1', '*'];
    expect(http.allowed_origins).to.deep.equal(origins);
    expect(noted).to.have.members([
      'ALLOW_WEBSOCKET_CONNECTIONS=true',
      'FORCE_WEBSOCKET_WITH_UID=false',
      'WEBSOCKET_ENDPOINT=/live',
      'STATUS_ENDPOINT=/health',
      'ALLOWED_HTTP_METHODS=POST',
      `ALLOWED_ORIGINS=${origins.join('|')}`,
    ]);
    for (const [name, value] of Object.entries(env))
      expect(catchConfigError({ [name]: value }), name).to.deep.equal(['CFG_VARIABLE', name]);
    const own = { ALLOWED_ORIGINS: 'https://a.test', WEBSOCKET_ENDPOINT: '/ws', ALLOW_WEBSOCKET_CONNECTIONS: 'TRUE' };
    applyEnvironment(SUB0, own, ({ name }) => expect.fail(name));
    for (const wrong of ['https://a.test/path', 'a b', '*.a.test'])
      expect(catchConfigError({ ALLOWED_ORIGINS: wrong }, SUB0), wrong).to.deep.equal([
        'CFG_VARIABLE',
        'ALLOWED_ORIGINS',
      ]);
  });

  it('report all invalid values together', () => {
    const env = { PORT: 'x', STATUS_ENDPOINT: '?', ALLOWED_HTTP_METHODS: 'POST|FETCH' };
    expect(() => applyEnvironment(CONFIG, env))
      .to.throw(BootError)
      .with.property('message')
      .that.matches(/"PORT".*STATUS_ENDPOINT.*ALLOWED_HTTP_METHODS|"PORT".*ALLOWED_HTTP_METHODS.*STATUS_ENDPOINT/);
  });

  it('reject numbers that are fractions, negative or too large', () => {
    for (const text of ['-1', '1.5', '65536', 'x'])
      expect(catchConfigError({ PORT: text }), text).to.deep.equal(['CFG_VARIABLE', 'PORT']);
    expect(applyEnvironment(CONFIG, { PORT: '65535' }).http.port).to.equal(65_535);
  });
});
