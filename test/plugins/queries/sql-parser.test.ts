/**
 * The parser that the command line and the kernel pass to the front end: positions in code units, texts it cannot
 * parse, and that it never throws. The front end works without it.
 */
import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { analyseFiles } from '../../../language/analysis/analyse.js';
import { createUnitLookup } from '../../../plugins/queries/sql/analysis/tree.js';
import { GROWTH_FACTORS, OPTIMIZATION_COUNTS } from '../../../language/project/code-tiering.js';
import { loadSqlParser } from '../../../plugins/queries/sql/parser/load-parser.js';
import { SQL, createTrialRegistry } from '../../support/fixtures.js';

const MODULE = new URL('../../../plugins/queries/sql/parser/load-parser.js', import.meta.url).href;

const findFault = (text: string): { message: string; before: string } | null => {
  const { fault } = SQL.parse(text);
  return fault === null ? null : { message: fault.message, before: text.slice(0, fault.at) };
};

const resource = (query: string): { file: string; text: string }[] => [
  {
    file: 'a.json',
    text: JSON.stringify({
      id: 'a',
      resource: 'a',
      actionables: [{ id: 1, mode: 'QUERY', sql_query: { query } }],
      returnables: ['id'],
    }),
  },
];

describe('SQL parser', () => {
  it('restores the settings of the engine for this version of Node', () => {
    const printed = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
    const findUsual = (flag: string): number =>
      Number(new RegExp(`default: ${flag}=(\\d+)`).exec(printed)?.[1] ?? Number.NaN);
    const major = process.versions.v8.split('.')[0] ?? '';
    const factor = findUsual('--semi-space-growth-factor');
    expect(factor).to.be.greaterThan(0);
    // An unlisted engine keeps its setting; a listed one must be listed correctly.
    expect(GROWTH_FACTORS[major] ?? factor).to.equal(factor);
    const count = OPTIMIZATION_COUNTS[major];
    if (count !== undefined) expect(count.usual).to.equal(findUsual(count.flag));
  });

  it('is not optimized, which would take 40 MiB', () => {
    const work = `const { loadSqlParser } = await import(${JSON.stringify(MODULE)});
      const sql = await loadSqlParser();
      let most = 0;
      for (let n = 0; n < 15_000; n++) {
        sql.parse('SELECT a, b AS c FROM t WHERE id = $1 AND x > ' + n);
        // Not what the system calls the most: a child begins with that of whoever started it.
        if (n % 100 === 0) most = Math.max(most, process.memoryUsage.rss());
      }
      console.log(most);`;
    const small = ['--min-semi-space-size=1', '--max-semi-space-size=1'];
    const child = [...process.execArgv, ...small, '--input-type=module', '-e', work];
    const bytes = Number(execFileSync(process.execPath, child, { encoding: 'utf8' }));
    expect(bytes / 1024 / 1024).to.be.within(20, 90);
  });

  it('is loaded once', async () => {
    expect(await loadSqlParser()).to.equal(SQL);
  });

  it('returns a tree for a statement and one for each of several', () => {
    expect(SQL.parse('SELECT 1').statements).to.have.length(1);
    expect(SQL.parse('SELECT 1; SELECT 2').statements).to.have.length(2);
  });

  it('reports an error in code units, whatever precedes it', () => {
    expect(findFault("SELECT 'é🙂', FROM x")?.before).to.equal("SELECT 'é🙂', ");
    expect(findFault('SELEC 1')?.before).to.equal('');
    expect(findFault('SELECT 1 WHERE')?.before).to.equal('SELECT 1 WHERE');
  });

  it('translates byte offsets of the tree to code units', () => {
    const text = 'é🙂a';
    const at = createUnitLookup(text);
    expect([0, 2, 6, 7].map(at)).to.deep.equal([0, 1, 3, 4]);
    expect([0, 3].map(createUnitLookup('abc'))).to.deep.equal([0, 3]);
  });

  it('checks nothing if it cannot parse the whole text', () => {
    for (const text of ['', '  ', 'SELECT 1\u0000 FROM']) {
      expect(SQL.parse(text), JSON.stringify(text)).to.deep.equal({ statements: [], fault: null });
    }
  });

  it('returns for text that is nested too deeply, and keeps working', () => {
    const deep = [`SELECT ${'('.repeat(20_000)}1${')'.repeat(20_000)}`, `SELECT ${'1+'.repeat(20_000)}1`];
    const unions = Array.from({ length: 2000 }, () => 'SELECT 1 AS id').join(' UNION ');
    const nested = `${'SELECT * FROM ('.repeat(300)}SELECT 1 AS id${') x'.repeat(300)}`;
    for (const query of [...deep, unions, nested]) {
      const { problems } = analyseFiles(resource(query), createTrialRegistry(), { env: null, sql: SQL });
      expect(problems.map(({ code }) => code).filter((code) => !/^SQL_(SYNTAX|BROKEN)$/.test(code))).to.deep.equal([]);
    }
    expect(SQL.parse('SELECT 1').statements).to.have.length(1);
  });

  it('is optional: without it statements are only scanned', () => {
    const { problems } = analyseFiles(resource('SELEC nothing'), createTrialRegistry(), { env: null });
    expect(problems).to.deep.equal([]);
    const validated = analyseFiles(resource('SELEC nothing'), createTrialRegistry(), { env: null, sql: SQL }).problems;
    expect(validated.map(({ code }) => code)).to.deep.equal(['SQL_SYNTAX']);
  });
});
