/**
 * Contract of hostile text: every known attack string is a value like any other. The strings are next to the
 * repository, and are skipped by name if absent.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Run } from './dialect-support.js';
import { sampleCases } from '../support/sample.js';
import { NO_SHARED, skipTest } from '../support/skip.js';

interface Vector {
  readonly id: string;
  readonly use?: string;
  readonly text: string;
}

/** `shared/vectors` next to the repository, found from the compiled file. */
function vectorFile(name: string): string | undefined {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'shared', 'vectors', name);
    if (existsSync(file)) return file;
  }
  const file = join(process.cwd(), '..', 'shared', 'vectors', name);
  return existsSync(file) ? file : undefined;
}

function readVectors(file: string): Vector[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Vector).filter(({ use }) => use === undefined || use === 'parameter');
}

/** Twice the connections of a pool. */
const BATCH = 20;

export function stringsContract(run: Run, dialect: string): void {
  before(() => run('CREATE TABLE hostile (id text PRIMARY KEY, text text, data jsonb)'));

  for (const name of ['sql-strings.jsonl', 'naughty-strings.jsonl']) {
    it(`stores and finds every string of ${name} literally`, async function () {
      const file = vectorFile(name);
      if (!file) return skipTest(this, NO_SHARED);
      const all = readVectors(file);
      expect(all.length).to.be.greaterThan(200);
      const vectors = sampleCases('strings', `${name} ${dialect}`, all, 100);
      for (let at = 0; at < vectors.length; at += BATCH) {
        await Promise.all(vectors.slice(at, at + BATCH).map((vector) => literal(vector)));
      }
      const [row] = await run('SELECT count(*) AS n FROM hostile');
      expect(row?.['n']).to.equal(vectors.length);
      await run('DELETE FROM hostile');
    });
  }

  async function literal({ id, text }: Vector): Promise<void> {
    const inserted = await run('INSERT INTO hostile (id, text, data) VALUES ($1, $2, $3)', [id, text, text], [3]);
    expect(inserted, id).to.deep.equal([{ id, text, data: text }]);
    expect(await run('SELECT id FROM hostile WHERE id = $1 AND text = $2', [id, text]), id).to.deep.equal([{ id }]);
    expect(await run('SELECT $1::text AS t, $2::jsonb AS j', [text, { [text]: text }]), id).to.deep.equal([
      { t: text, j: { [text]: text } },
    ]);
    const update = 'UPDATE hostile SET text = $2 WHERE id = $1 AND text = $2 RETURNING text';
    expect(await run(update, [id, text]), id).to.deep.equal([{ text }]);
  }
}
