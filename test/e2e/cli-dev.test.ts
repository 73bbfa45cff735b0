/** `lintel dev`: files are edited, its output is awaited, and requests show what it serves. */
import { expect } from 'chai';
import { FSWatcher } from 'chokidar';
import { startCli } from '../support/child.js';
import { hostCli, type RunOptions, type Running } from '../support/cli.js';
import { createClient, type Client } from '../support/client.js';
import { pause } from '../support/guarded-server.js';
import { defineReturnResource, createTempProject, type Files, type TempProject } from '../support/project.js';

const A = 'definitions/a.json';
type Begin = (words: readonly string[], options: RunOptions) => Running;

describe('lintel dev', function () {
  let project: TempProject;
  let child: Running;
  let client: Client;

  async function start(files: Files, begin: Begin = hostCli): Promise<void> {
    project = await createTempProject(files);
    child = begin(['dev'], { cwd: project.folder, env: { PORT: '0' } });
    const [, url = ''] = await child.waitForOutput(/ready at (http:\S+)/);
    client = createClient(url);
  }
  afterEach(async () => {
    expect((await child.stop()).code).to.equal(0);
    await project.dispose();
  });

  /** Writes and waits for the line that reports the reload; returns the output until then. */
  async function save(name: string, content: unknown, line: RegExp): Promise<string> {
    const from = child.output().length;
    await project.write(name, content);
    await child.waitForOutput(line, from);
    return child.output().slice(from);
  }
  const answer = async (path: string): Promise<unknown> => {
    const { status, body } = await client.post<unknown>(path, {});
    return status === 200 ? body : status;
  };

  it('serves an edited file, and a new one in a new folder', async () => {
    // The one that is a process of its own.
    await start({ [A]: defineReturnResource('a', 1) }, startCli);
    expect(await answer('/a')).to.equal(1);
    await save(A, defineReturnResource('a', 2), /serving 1 resource\(s\): 0 errors/);
    expect(await answer('/a')).to.equal(2);
    await save('definitions/new/deep/b.json', defineReturnResource('b', 3), /serving 2 resource\(s\)/);
    expect(await answer('/b')).to.equal(3);
    const from = child.output().length;
    await project.remove('definitions/new/deep/b.json');
    await child.waitForOutput(/serving 1 resource\(s\)/, from);
    expect(await answer('/b')).to.equal(404);
  });

  it('shows an invalid file as a code frame and keeps serving', async () => {
    await start({ [A]: defineReturnResource('a', 1) });
    const broken =
      '{\n  "id": "a",\n  "resource": "a",\n  "actionables": [{ "id": 1, "mode": "RETRUN", "value": 2 }]\n}\n';
    const shown = await save(A, broken, /resource\(s\): 1 error/);
    expect(shown).to.contain('definitions/a.json:4:38').and.contain('Did you mean "RETURN"?').and.contain('^^^^^^^^');
    expect(await answer('/a')).to.equal(1);
    await save(A, broken.replace('RETRUN', 'RETURN'), /resource\(s\): 0 errors/);
    expect(await answer('/a')).to.equal(2);
  });

  it('starts with the valid resources, and serves the others once they are fixed', async () => {
    await start({ [A]: defineReturnResource('a', 1), 'definitions/b.json': '{ "id": "b" }' });
    expect(child.output()).to.contain('definitions/b.json:1:1');
    expect([await answer('/a'), await answer('/b')]).to.deep.equal([1, 404]);
    await save('definitions/b.json', defineReturnResource('b', 2), /serving 2 resource\(s\): 0 errors/);
    expect(await answer('/b')).to.equal(2);
  });

  it('starts in an empty project, and loads the first definition', async () => {
    await start({ 'lintel.config.json': {} });
    await save(A, defineReturnResource('a', 1), /serving 1 resource/);
    expect(await answer('/a')).to.equal(1);
  });

  it('loads a file whose event was lost, soon after a reload', async () => {
    const events = FSWatcher.prototype as unknown as { emit: (this: unknown, ...args: unknown[]) => boolean };
    const { emit } = events;
    events.emit = function (...args) {
      return args.join().includes('late') ? false : emit.apply(this, args);
    };
    try {
      await start({ [A]: defineReturnResource('a', 1) });
      // It is read by the reload itself where the machine is slow: then the next round shows it.
      for (let round = 2; ; round++) {
        await save(A, defineReturnResource('a', round), /serving \d resource\(s\): 0 errors/);
        const from = child.output().length;
        await project.write(`definitions/late-${round}.json`, defineReturnResource(`late-${round}`, round));
        const read = child.waitForOutput(/serving \d resource\(s\): 0 errors/, from).then(() => true);
        const isRead = await Promise.race([read, pause(round * 3000).then(() => false)]);
        read.catch(() => undefined);
        if (isRead || round > 4) {
          expect(isRead).to.equal(true);
          expect(await answer(`/late-${round}`)).to.equal(round);
          return;
        }
      }
    } finally {
      events.emit = emit;
    }
  });

  it('explains the failure of a request, without its values', async () => {
    const query = (id: string, text: string, parameters: readonly string[] = []): object => ({
      ...{ id, resource: id, returnables: ['n'] },
      actionables: [
        {
          ...{ id: 1, mode: 'QUERY', payload_validation: [{ field: { a: { type: 'NUMBER' } } }] },
          sql_query: { query: text, parameters },
        },
      ],
    });
    const verifications = { HeaderTokenVerifier: { header_key: '$HEADER.X-Key', secret_key: '$ENV.HOOK_KEY' } };
    await start({
      '.env': 'HOOK_KEY=2f1c4b9d8e7a6f5c4b3a29182f1c4b9d\nTARGET=http://127.0.0.1:9/x\n',
      'migrations/1.sql':
        "CREATE FUNCTION refuse(int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no %'', $1; END'",
      'definitions/rows.json': [
        query('zero', 'SELECT 1 / (count(*) - count(*)) AS n FROM generate_series(1, $1::int)', ['a']),
        query('sent', 'SELECT 1 / $1::int AS n', ['a']),
        query('raised', 'SELECT refuse($1::int) AS n', ['a']),
        query('missing', "SELECT 'é\"𝒳 nowhere' AS t,\n n FROM nowhere WHERE n = $1::int", ['a']),
        query('written', 'INSERT INTO nothing (n, updated_at) SELECT n, now() FROM "nowhere" WHERE n = $1::int', ['a']),
      ],
      'definitions/out.json': {
        ...{ id: 'out', resource: 'out', returnables: ['n'] },
        actionables: [{ id: 1, mode: 'HTTPREQUEST', http: { url: '$ENV.TARGET', method: 'GET' } }],
      },
      'definitions/hook.json': defineReturnResource('hook', 1, { webhook: { verifications } }),
    });
    const explain = async (path: string, body: object): Promise<readonly [status: number, said: string]> => {
      const begun = child.output().length;
      const { status } = await client.post(path, body);
      await child.waitForOutput(/"msg":"request"/, begun);
      return [status, child.output().slice(begun)];
    };
    const [status, explanation] = await explain('/zero', { a: 7431 });
    expect(status, explanation).to.equal(500);
    expect(explanation).to.match(/error QRY_FAILED .*division by zero\n.*definitions\/rows\.json:\d+:\d+ in "zero"/);
    expect(explanation).to.contain('SELECT 1 / (count(*)').and.contain('^^^^').and.contain('parameters: $1 integer');
    expect(explanation).not.to.contain('7431');
    // A value of the caller is the caller's.
    expect((await explain('/sent', { a: 0 }))[0]).to.equal(422);
    const [raised, why] = await explain('/raised', { a: 7431 });
    expect(raised).to.equal(500);
    expect(why).to.contain('in "raised"').and.contain('database error P0001').and.not.contain('7431');
    // The types that the database found are in the description of the interface.
    const described = JSON.stringify((await client.request('GET', '/openapi.json')).body);
    expect(described).to.contain('"properties":{"n":{"type":["integer","null"]}}');
    // The position in the statement, as the check marks it: also after escapes, and where Lintel extends the text.
    for (const [path, marked, before] of [
      ['missing', 'nowhere', '\\n n FROM '],
      ['written', 'nothing', 'INSERT INTO '],
    ] as const) {
      const [, place] = await explain(`/${path}`, { a: 7431 });
      const lines = place.split('\n');
      const [line = '', marks = ''] = lines.slice(lines.findIndex((one) => one.includes('^^^')) - 1);
      const at = /\^+/.exec(marks);
      expect(line.slice(at?.index, (at?.index ?? 0) + (at?.[0].length ?? 0)), place).to.equal(marked);
      expect(line.slice(0, at?.index).endsWith(before), place).to.equal(true);
    }
    const [refused, host] = await explain('/out', {});
    expect(refused).to.equal(502);
    expect(host)
      .to.match(/error OUT_REFUSED .*127\.0\.0\.1/)
      .and.contain('add it to `outbound.allow`');
    const [rejected, reason] = await explain('/hook', {});
    expect(rejected).to.equal(401);
    expect(reason).to.match(/"level":30.*"reason":"[^"]+".*"msg":"webhook rejected"/);
  });

  it('reports that a changed config or .env needs a restart', async () => {
    await start({ [A]: defineReturnResource('a', 1), 'lintel.config.json': {}, '.env': 'X=1\n' });
    await save('lintel.config.json', { migrate: false }, /lintel\.config\.json changed: restart/);
    await save('.env', 'X=2\n', /\.env changed: restart/);
    expect(await answer('/a')).to.equal(1);
  });

  it('connects to a database when the first query is written', async () => {
    await start({
      [A]: defineReturnResource('a', 1),
      'lintel.config.json': { connections: { main: { use: 'pglite', path: 'memory://' } } },
    });
    const query = {
      id: 'q',
      resource: 'q',
      actionables: [{ id: 1, mode: 'QUERY', sql_query: { query: 'SELECT 5 AS n' } }],
    };
    await save('definitions/q.json', query, /serving 2 resource/);
    expect(await answer('/q')).to.deep.equal({ n: 5 });
  });
});
