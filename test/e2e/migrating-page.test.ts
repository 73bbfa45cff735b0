/**
 * The pages about migrating, executed from top to bottom: files are written, statements run on the database, commands
 * in a shell, requests against the last `lintel serve`. One database of a server, one folder.
 */
import { expect } from 'chai';
import pg from 'pg';
import { hostCli, runCli, type Running } from '../support/cli.js';
import { createClient, type Client } from '../support/client.js';
import { createBuiltinRegistry } from '../support/fixtures.js';
import { listBlocks, EXCHANGE, isExpected, pageText, type Block } from '../support/docs-page.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { createTempProject, type TempProject } from '../support/project.js';
import { skipWithout } from '../support/skip.js';

const ENV = { PORT: '0', NO_COLOR: '1', JWT_SECRET_KEY: 'k3-Jd92-mmQ8-x0a1-92jd-Kw81-0aJ2' };
/** In the order in which they can be executed. */
const PAGES = ['migrating.md', 'migrating-profile.md', 'migrating-from.md'];
const blocks = PAGES.flatMap(listBlocks).filter(({ language }) => language !== 'js');

const collapseBlanks = (line: string): string => line.trim().replace(/ +/g, ' ');

/** Lines that are printed, in this order, whatever their columns; `...` is any text, on a line of its own any lines. */
function printed(expected: readonly string[], output: string): void {
  const lines = output.split('\n').map(collapseBlanks);
  let from = 0;
  for (const line of expected.map(collapseBlanks)) {
    if (line === '...' || line === '') continue;
    const at = lines.findIndex((one, index) => {
      const isSame = line.endsWith('...') ? one.startsWith(line.slice(0, -3)) : one === line;
      return index >= from && isSame;
    });
    expect(at, `"${line}" is not printed, or not there:\n${output}`).to.be.greaterThan(-1);
    from = at + 1;
  }
}

describe('documentation pages about migrating', function () {
  const names = new Map<string, string>();
  let project!: TempProject;
  let env: Record<string, string> = {};
  let child: Running | undefined;
  let client: Client | undefined;

  before(async function () {
    await skipWithout(this, startPostgres());
    env = { ...ENV, DATABASE_URL: await createPostgresDatabase() };
    project = await createTempProject();
  });
  after(async () => {
    await child?.stop();
    await project?.dispose();
  });

  async function sql(text: string): Promise<void> {
    const connection = new pg.Client({ connectionString: env['DATABASE_URL'] });
    await connection.connect();
    try {
      await connection.query(text);
    } finally {
      await connection.end();
    }
  }

  async function serve(words: readonly string[], expected: readonly string[]): Promise<void> {
    await child?.stop();
    child = hostCli(words, { cwd: project.folder, env });
    const [, url = ''] = await child.waitForOutput(/ready at (http:\S+)/);
    client = createClient(url);
    printed(expected, child.output());
  }

  async function shell(text: string): Promise<void> {
    for (const part of text.split(/^\$ /m).filter((one) => one !== '')) {
      const [command = '', ...expected] = part.trimEnd().split('\n');
      const [program, ...words] = command.split(' ');
      expect(program).to.equal('lintel');
      if (words[0] === 'serve') await serve(words, expected);
      else {
        const { code, stdout, stderr } = await runCli(words, { cwd: project.folder, env });
        expect(code, `${command}\n${stdout}${stderr}`).to.equal(0);
        printed(expected, stdout);
      }
    }
  }

  async function http(text: string): Promise<void> {
    const fillNames = (one: string): string => one.replace(/<\w+>/g, (name) => names.get(name) ?? name);
    for (const written of text.trim().split('\n\n')) {
      const parts = EXCHANGE.exec(written);
      expect(parts, written).not.to.equal(null);
      const [, method = '', path = '', body, header, value = '', status, answer = 'null'] = parts ?? [];
      const headers = {
        'content-type': 'application/json',
        ...(header !== undefined && { [header]: fillNames(value) }),
      };
      const given = await client?.request(method, path, { headers, ...(body !== undefined && { body }) });
      expect(given?.status, `${written}\n${given?.text}`).to.equal(Number(status));
      const isWhole = given !== undefined && given.status < 300;
      expect(isExpected(JSON.parse(answer), given?.body, names, isWhole), `${written}\n${given?.text}`).to.equal(true);
    }
  }

  const RUN: Readonly<Record<string, (block: Block) => Promise<void>>> = {
    json: ({ name, text }) => project.write(name, text),
    sql: ({ text }) => sql(text),
    console: ({ text }) => shell(text),
    http: ({ text }) => http(text),
  };

  for (const block of blocks) {
    const { heading, language, name, text } = block;
    it(`${heading}: ${name || `${language} ${text.split('\n')[0] ?? ''}`}`, async () => {
      const run = RUN[language];
      if (run === undefined) throw new Error(`nobody runs ${language}`);
      await run(block);
    });
  }

  it('include all output of a start: every resource is served', () => {
    expect(child?.output() ?? '').not.to.match(/^error /m);
  });

  it('name only existing codes', () => {
    const { codes } = createBuiltinRegistry();
    const reported =
      PAGES.map(pageText)
        .join('\n')
        .match(/(?<=`)(?:LNK|SEC)_[A-Z_]+(?=`)/g) ?? [];
    expect(reported.filter((code) => !Object.hasOwn(codes, code))).to.deep.equal([]);
    expect(reported.length).to.be.greaterThan(5);
  });
});
