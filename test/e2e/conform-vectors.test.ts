/** Published vectors against the operations of the conformance command; skipped by name where they are absent. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { closeStrings } from '../conform/strings.js';
import { runCommand } from '../conform/command.js';
import { runLine } from '../conform/run.js';
import { ROOT, vectorFile } from '../support/project.js';
import { sampleCases } from '../support/sample.js';
import { NO_SHARED, skipTest } from '../support/skip.js';

interface Case {
  readonly id: string;
  readonly op: string;
  readonly optional?: boolean;
  readonly expect: {
    readonly ok: boolean | null;
    readonly out?: unknown;
    readonly footer?: string;
    readonly status?: readonly number[];
    /** A success returns one of these. */
    readonly out_any?: readonly unknown[];
    /** Of a form, in any order: a payload has no order. */
    readonly parts?: readonly unknown[];
    /** Of a storage key: the folder, and no level more. */
    readonly prefix?: string;
  };
}

/**
 * The minimum number of cases, and how many of them are skipped because they are optional. Cases that need a running
 * service are sampled: one of `every` in a full run, and fewer in a sampled one; the command runs them all, and suites
 * of the parts too.
 */
const FILES: readonly {
  readonly file: string;
  readonly cases: number;
  readonly optional: number;
  readonly every?: number;
}[] = [
  { file: 'jwt.jsonl', cases: 19, optional: 0 },
  { file: 'paseto.jsonl', cases: 24, optional: 12 },
  { file: 'json-body.jsonl', cases: 283, optional: 0 },
  { file: 'uuid.jsonl', cases: 22, optional: 0 },
  { file: 'email.jsonl', cases: 163, optional: 0 },
  { file: 'hmac.jsonl', cases: 174, optional: 0 },
  { file: 'webhook-signatures.jsonl', cases: 33, optional: 0 },
  { file: 'rsa.jsonl', cases: 518, optional: 0 },
  { file: 'multipart.jsonl', cases: 23, optional: 0 },
  { file: 'traversal-strings.jsonl', cases: 1168, optional: 0 },
  { file: 'aead-Aes256Gcm.jsonl', cases: 53, optional: 0 },
  { file: 'aead-ChaCha20Poly1305.jsonl', cases: 436, optional: 0 },
  { file: 'aead-XChaCha20Poly1305.jsonl', cases: 1856, optional: 0 },
  { file: 'aead-XSalsa20Poly1305.jsonl', cases: 818, optional: 0 },
  { file: 'aead-Ascon128a.jsonl', cases: 2277, optional: 0 },
  { file: 'base64.jsonl', cases: 114, optional: 0 },
  { file: 'base32.jsonl', cases: 45, optional: 0 },
  { file: 'base58.jsonl', cases: 201, optional: 0 },
  { file: 'crlf-strings.jsonl', cases: 39, optional: 0 },
  { file: 'naughty-strings.jsonl', cases: 258, optional: 0, every: 10 },
  { file: 'nosql-strings.jsonl', cases: 48, optional: 0 },
  { file: 'sql-strings.jsonl', cases: 885, optional: 0, every: 25 },
];

/** Texts of the entries, with their fields in one order. */
const sortEntries = (list: unknown): string[] =>
  (list as readonly object[]).map((entry) => JSON.stringify(Object.entries(entry).sort())).sort();

const isRightBelow = (prefix: string, key: unknown): boolean =>
  typeof key === 'string' && key.startsWith(prefix) && /^[A-Za-z0-9-]+\.[a-z0-9]+$/.test(key.slice(prefix.length));

describe('shared vectors', () => {
  after(closeStrings);
  for (const { file: name, cases: many, optional, every = 1 } of FILES) {
    it(`${name}: ${every === 1 ? 'match in every case' : 'match in a sample of cases'}`, async function () {
      this.timeout(240_000);
      const file = vectorFile(name);
      if (file === null) return skipTest(this, NO_SHARED);
      const lines = readFileSync(file, 'utf8').trim().split('\n');
      expect(lines.length).to.be.at.least(many);
      const wrong: string[] = [];
      let skipped = 0;
      let accepted = 0;
      const sent = lines.filter((_, index) => index % every === 0);
      const isAccepted = (line: string): boolean => (JSON.parse(line) as Case).expect.ok === true;
      const some = [
        ...sampleCases('vectors', `${name}, accepted`, sent.filter(isAccepted), 9),
        ...sampleCases(
          'vectors',
          `${name}, others`,
          sent.filter((line) => !isAccepted(line)),
          2,
        ),
      ];
      for (const line of every === 1 ? sent : some) {
        const { id, op, expect: wanted, ...input } = JSON.parse(line) as Case;
        const { ok, out, footer, status, error } = await runLine(op, line);
        if (input.optional === true) {
          skipped++;
          // Features that are not offered may be rejected, and nothing else.
          if (ok) wrong.push(`${id} is not offered`);
          continue;
        }
        if (ok) accepted++;
        if (ok && wanted.prefix !== undefined && !isRightBelow(wanted.prefix, out)) wrong.push(`${id}: ${String(out)}`);
        const { out_any: oneOf } = wanted;
        if (ok && oneOf?.every((one) => JSON.stringify(one) !== JSON.stringify(out)) === true)
          wrong.push(`${id}: ${JSON.stringify(out)}`);
        if (wanted.ok === null) continue;
        const fits =
          ok === wanted.ok &&
          (!ok ||
            wanted.parts !== undefined ||
            oneOf !== undefined ||
            JSON.stringify(out) === JSON.stringify(wanted.out)) &&
          (!ok || wanted.parts === undefined || sortEntries(out).join() === sortEntries(wanted.parts).join()) &&
          (!ok || wanted.footer === undefined || footer === wanted.footer) &&
          (ok || wanted.status === undefined || wanted.status.includes(status ?? 0));
        if (!fits) wrong.push(`${id}: ${ok} ${String(error)} ${JSON.stringify(out)}`);
      }
      expect(wrong).to.deep.equal([]);
      expect(skipped).to.equal(optional);
      expect(accepted, 'a suite that refuses everything proves nothing').to.be.at.least(3);
    });
  }
});

describe('conformance command', () => {
  it('prints one line for each case, in order', () => {
    const body = (id: string, text: string): string =>
      JSON.stringify({ id, content_type: 'application/json', bytes: Buffer.from(text).toString('hex') });
    const { stdout, status } = spawnSync(process.execPath, [join(ROOT, 'dist', 'test', 'conform.js'), 'json.body'], {
      input: `${body('a', '{"n":1}')}\n\n${body('b', '{')}\nno case\n`,
      encoding: 'utf8',
      timeout: 20_000,
    });
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(status).to.equal(0);
    expect(results[0]).to.deep.equal({ id: 'a', ok: true, out: { n: 1 } });
    expect(results[1]).to.deep.equal({ id: 'b', ok: false, error: 'REQ_MALFORMED', status: 400 });
    expect(results[2]).to.include({ id: null, ok: false });
    expect(results).to.have.length(3);
  });

  it('lists its operations for an unknown one', async () => {
    const output: string[] = [];
    const status = await runCommand(['nothing'], [], { out: () => undefined, error: (text) => output.push(text) });
    expect(status).to.equal(1);
    expect(output.join('')).to.match(/json\.body, .*multipart\.parse, .*rule\.check, .*token\.verify, url\.guard/);
  });
});
