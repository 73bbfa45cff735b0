/**
 * Contract of token formats: verify what they issued and nothing else, compare timestamps with the given clock, and
 * fail only by rejecting.
 */
import { expect } from 'chai';
import { BootError } from '../../contract/boot-error.js';
import { Fault } from '../../contract/fault.js';
import {
  MAX_TOKEN,
  TokenRefused,
  type TokenSettings,
  type TokenTool,
  type TokenType,
} from '../../plugins/tokens/kind.js';
import { ENV, type Plugins } from './kind-support.js';
import { generateText, fc } from '../support/properties.js';

const OTHER_KEY = 'another-example-key-Zw5nB8kDq3Yh';
const START = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const SECONDS = 600;
const CLAIMS = { id: 7, role: 'admin', tags: ['a', { b: null }], text: 'é €\u{1f600}', flag: false };

/** Milliseconds after the token was issued. */
const at = (seconds: number): number => START + seconds * 1000;

async function catchError(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return null;
  } catch (error) {
    return error;
  }
}

export function tokenContract(plugins: Plugins, name: string): void {
  describe(`token format ${name}`, () => {
    let format!: TokenType;
    let tool!: TokenTool;
    let token = '';
    const createSettings = (key: string | Uint8Array = ENV.EXAMPLE_KEY): TokenSettings => ({
      algorithm: null,
      key,
      issues: true,
      place: 'contract',
    });
    const issueToken = (claims: object = CLAIMS, now = START): Promise<string> | string =>
      tool.issueToken(claims as Record<string, unknown>, { now, seconds: SECONDS, id: 'token-1' });
    const expectRejected = async (text: string, now = START): Promise<void> => {
      const error = await catchError(() => tool.verify(text, now));
      expect(error, text.slice(0, 80)).to.be.instanceOf(TokenRefused);
    };

    before(async () => {
      format = await plugins.handle<TokenType>('token', name);
      tool = format.create(createSettings());
      token = await issueToken();
    });

    it('has its default among its algorithms', () => {
      const algorithms = plugins.fact('token', name, 'algorithms') as readonly string[];
      expect(algorithms).to.include(plugins.fact('token', name, 'algorithm'));
    });

    it('verifies what it issued, with timestamps and an id', async () => {
      const { claims, expiresAt, validFrom } = await tool.verify(token, START);
      expect(claims).to.deep.include({ ...CLAIMS, jti: 'token-1' });
      expect(claims).to.have.all.keys(...Object.keys(CLAIMS), 'iat', 'exp', 'jti');
      expect(validFrom).to.equal(Math.floor(START / 1000));
      expect(expiresAt).to.equal(validFrom + SECONDS);
    });

    it('issues texts that a header can contain, a different one for any difference', async () => {
      expect(token).to.match(/^[A-Za-z0-9._-]+$/);
      expect(await issueToken({ ...CLAIMS, id: 8 })).not.to.equal(token);
    });

    it('does not let claims override the timestamps or the id', async () => {
      const odd = await issueToken({ exp: 9_999_999_999, iat: 1, nbf: undefined, jti: 'mine' });
      const { claims, expiresAt } = await tool.verify(odd, START);
      expect(expiresAt).to.equal(Math.floor(START / 1000) + SECONDS);
      expect(claims['jti']).to.equal('token-1');
    });

    it('validates a cached token immediately, and checks its timestamps each time', async () => {
      const fresh = await issueToken({ seen: true });
      await tool.verify(fresh, START);
      expect(tool.verify(fresh, START)).not.to.be.instanceOf(Promise);
      await expectRejected(fresh, at(SECONDS + 30));
      await expectRejected(fresh, at(-31));
      expect(await tool.verify(fresh, START)).to.have.property('claims');
    });

    for (const [seconds, right] of [
      [SECONDS - 1, true],
      [SECONDS + 29, true],
      [SECONDS + 30, false],
      [SECONDS + 1000, false],
      [-30, true],
      [-31, false],
    ] as const) {
      it(`${right ? 'accepts' : 'rejects'} it ${seconds} s after it was issued for ${SECONDS} s`, async () => {
        const unseen = await issueToken({ seconds });
        if (right) expect((await tool.verify(unseen, at(seconds))).claims).to.include({ seconds });
        else await expectRejected(unseen, at(seconds));
      });
    }

    it('issues claims that cannot be changed', async () => {
      const { claims } = await tool.verify(token, START);
      expect(() => ((claims as Record<string, unknown>)['role'] = 'root')).to.throw(TypeError);
      expect(() => (claims['tags'] as unknown[]).push(1)).to.throw(TypeError);
    });

    it('rejects tokens of another key', async () => {
      const other = await format
        .create(createSettings(OTHER_KEY))
        .issueToken(CLAIMS, { now: START, seconds: 60, id: '1' });
      await expectRejected(other);
    });

    it('rejects every change of a single character', async () => {
      for (let i = 0; i < token.length; i++) {
        for (const put of ['A', 'B', '-', '.', '=', ' ', '']) {
          const changed = token.slice(0, i) + put + token.slice(i + 1);
          if (changed !== token) await expectRejected(changed);
        }
      }
    }).timeout(60_000);

    it('rejects an appended or prepended text, and every part of it', async () => {
      for (const more of ['A', '.', '..', '=', '==', '\n', ' ', '\0', `.${token}`]) {
        await expectRejected(token + more);
        await expectRejected(more + token);
      }
      for (let i = 0; i < token.length; i += 3) await expectRejected(token.slice(0, i));
    });

    it('rejects any other text, and does nothing else', async () => {
      const parts = fc.oneof(fc.string(), fc.base64String(), fc.constantFrom(...token.split('.')));
      const texts = fc.oneof(
        generateText(),
        fc.array(parts, { maxLength: 6 }).map((all) => all.join('.')),
      );
      await fc.assert(
        fc.asyncProperty(texts, async (text) => {
          if (text !== token) await expectRejected(text);
        }),
        { numRuns: 500 },
      );
    });

    it('rejects a text that is too long before anything is decoded', async () => {
      await expectRejected('A'.repeat(MAX_TOKEN + 1));
      await expectRejected(`${token}${'A'.repeat(1_000_000)}`);
    });

    it('issues nothing that it would not accept', async () => {
      let deep: unknown = 1;
      for (let i = 0; i < 40; i++) deep = { deep };
      for (const claims of [
        { text: 'x'.repeat(MAX_TOKEN) },
        { deep },
        { odd: JSON.parse('{"__proto__":1}') as unknown },
      ]) {
        const error = await catchError(() => issueToken(claims));
        expect(error).to.be.instanceOf(Fault).with.property('code', 'TOK_UNFIT');
      }
    });

    for (const key of ['', ' ', '\n\t ', 'secret', 'undefined', 'Changeme']) {
      it(`rejects the key ${JSON.stringify(key)}`, async () => {
        const error = (await catchError(() => format.create(createSettings(key)))) as BootError;
        expect(error).to.be.instanceOf(BootError);
        expect(error.code).to.equal('TOK_KEY');
        expect(error.params['place']).to.equal('contract');
      });
    }

    it('creates one handle for one key: two resources share the cache', () => {
      expect(format.create(createSettings())).to.equal(tool);
      expect(format.create(createSettings(OTHER_KEY))).not.to.equal(tool);
    });
  });
}
