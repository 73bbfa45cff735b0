/**
 * Parts of the command line: reading and writing files, `.env` from `.env.example`, migrations as text and as a script,
 * colours, error texts, and changes of definitions.
 */
import { expect } from 'chai';
import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { BootError } from '../../contract/boot-error.js';
import { fillEnvFile } from '../../cli/env-file.js';
import { formatError } from '../../cli/format-error.js';
import { appendPrivateFile, readText, createNewFile, writeText } from '../../cli/files.js';
import { formatMigrationScript, formatMigration } from '../../cli/migrate.js';
import { createPaint, omitColor } from '../../cli/colors.js';
import { createMutants, type Mutant } from '../../cli/test/mutants.js';
import type { Terminal } from '../../cli/terminal.js';
import type { MigrationStep } from '../../contract/migration.js';
import { analyseFiles } from '../../language/analysis/analyse.js';
import { createBuiltinRegistry, FIXTURE_ENV, SQL } from '../support/fixtures.js';
import { createTempProject, type TempProject } from '../support/project.js';

/** The code and the text of a rejection. */
async function catchRejection(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof BootError
    ? `${error.code}: ${String(error.params['what'] ?? error.params['most'])}`
    : String(error);
}

describe('file functions of the CLI', () => {
  let project: TempProject;
  const at = (...names: string[]): string => join(project.folder, ...names);
  beforeEach(async () => (project = await createTempProject({ 'a.txt': 'text' })));
  afterEach(() => project.dispose());

  it('return the content, null for a missing file, and an error for a folder', async () => {
    await mkdir(at('folder'));
    expect(await readText(at('a.txt'))).to.equal('text');
    expect(await readText(at('none.txt'))).to.equal(null);
    expect(await catchRejection(readText(at('folder')))).to.equal('CLI_FILE: it cannot be read (EISDIR)');
    expect(await catchRejection(readText(at('a.txt', 'b.txt')))).to.equal('CLI_FILE: it cannot be read (ENOTDIR)');
  });

  it('create parent folders and replace an existing file', async () => {
    await writeText(at('x', 'y', 'b.txt'), '1');
    await writeText(at('x', 'y', 'b.txt'), '2');
    expect(await readText(at('x', 'y', 'b.txt'))).to.equal('2');
    expect(await catchRejection(writeText(at('a.txt', 'b.txt'), '1'))).to.match(
      /^CLI_FILE: it cannot be written \((ENOTDIR|EEXIST)\)$/,
    );
  });

  it('append for the owner alone, and never through a link', async () => {
    await appendPrivateFile(at('secret'), 'A=1\n');
    await appendPrivateFile(at('secret'), 'B=2\n');
    expect(await readText(at('secret'))).to.equal('A=1\nB=2\n');
    expect((await stat(at('secret'))).mode & 0o777).to.equal(0o600);
    await chmod(at('secret'), 0o640);
    await appendPrivateFile(at('secret'), '');
    expect((await stat(at('secret'))).mode & 0o777, 'what is there keeps its mode').to.equal(0o640);
    await symlink(at('a.txt'), at('link'));
    expect(await catchRejection(appendPrivateFile(at('link'), 'x'))).to.equal(
      'CLI_FILE: it is a link; links are not followed (ELOOP)',
    );
    expect(await catchRejection(appendPrivateFile(at('none', 'b'), 'x'))).to.equal(
      'CLI_FILE: it cannot be written (ENOENT)',
    );
    expect(await readText(at('a.txt'))).to.equal('text');
  });

  it('create a file inside their folder only if there is none', async () => {
    expect(await createNewFile(project.folder, 'x/y/c.txt', '1')).to.equal(true);
    expect(await createNewFile(project.folder, 'x/y/c.txt', '2')).to.equal(false);
    expect(await readText(at('x', 'y', 'c.txt'))).to.equal('1');
    expect(await createNewFile(at('made'), 'c.txt', '1')).to.equal(true);
    await mkdir(at('made-not'));
    await symlink(at('made-not'), at('made', 'out'));
    await symlink(at('x'), at('made', 'too'));
    const out = 'CLI_FILE: its path contains a link out of the folder';
    expect(await catchRejection(createNewFile(at('made'), 'out/c.txt', '1'))).to.equal(out);
    expect(await catchRejection(createNewFile(at('made'), 'too/y/z/c.txt', '1'))).to.equal(out);
    expect(await readText(at('made-not', 'c.txt'))).to.equal(null);
    await symlink(at('made'), at('made', 'self'));
    expect(await createNewFile(at('made'), 'self/d.txt', '1')).to.equal(true);
    expect(await catchRejection(createNewFile(project.folder, 'a.txt/b.txt', '1'))).to.match(
      /^CLI_FILE: it cannot be written \(/,
    );
  });
});

describe('.env created from .env.example', () => {
  const EXAMPLE = 'PLAIN=a b\nSECRET=generate:40\nEMPTY=\nQUOTED="it\'s"\nURL=http://a.b/c?d=e&f=1,2\nOTHER=1\n';
  async function runFillEnvFile(
    files: Readonly<Record<string, string>>,
    env = {},
  ): Promise<{ added: string[]; found: boolean; text: string }> {
    const project = await createTempProject({});
    for (const [name, text] of Object.entries(files)) await writeFile(join(project.folder, name), text);
    try {
      const { added, found } = await fillEnvFile(project.folder, env);
      return {
        found,
        added: added.map(({ name, how }) => `${name} ${how}`),
        text: (await readText(join(project.folder, '.env'))) ?? '',
      };
    } finally {
      await project.dispose();
    }
  }

  it('contains the entries of the example, with new secrets in the required format', async () => {
    const { found, added, text } = await runFillEnvFile({ '.env.example': EXAMPLE });
    expect(found).to.equal(true);
    expect(added.sort()).to.deep.equal([
      ...['EMPTY copied', 'OTHER copied', 'PLAIN copied', 'QUOTED copied', 'SECRET generated', 'URL copied'],
    ]);
    expect(text.split('\n')[0]).to.equal('# Created from .env.example. Contains secrets: do not commit this file.');
    const { SECRET, ...rest } = parseEnv(text);
    expect(SECRET).to.match(/^[A-Za-z0-9]{40}$/);
    expect(rest).to.deep.equal({ PLAIN: 'a b', EMPTY: '', QUOTED: "it's", URL: 'http://a.b/c?d=e&f=1,2', OTHER: '1' });
    expect(text).to.include('\nURL=http://a.b/c?d=e&f=1,2\n');
  });

  it('keeps existing entries and those of the environment', async () => {
    const before = 'PLAIN=mine\nSECRET=\nEMPTY=\nQUOTED=x';
    const { added, text } = await runFillEnvFile({ '.env.example': EXAMPLE, '.env': before }, { OTHER: '2', URL: '' });
    expect(added).to.deep.equal(['SECRET generated', 'URL copied']);
    expect(text.startsWith(`${before}\nSECRET=`)).to.equal(true);
    const ended = await runFillEnvFile({ '.env.example': 'A=1\nB=2\n', '.env': 'A=1\n' });
    expect(ended.text).to.equal('A=1\nB=2\n');
    expect((await runFillEnvFile({ '.env.example': 'A=1\n', '.env': '' })).text).to.equal('A=1\n');
    expect(await runFillEnvFile({ '.env.example': 'A=1\n', '.env': 'A=2\n' })).to.deep.equal({
      found: true,
      added: [],
      text: 'A=2\n',
    });
  });

  it('is not created without an example or for a secret of invalid length', async () => {
    expect(await runFillEnvFile({})).to.deep.equal({ found: false, added: [], text: '' });
    for (const length of ['0', '1025', 'x', '1.5', '-1'])
      expect(await catchRejection(runFillEnvFile({ '.env.example': `A=generate:${length}` })), length).to.equal(
        'CLI_GENERATE: 1024',
      );
    for (const length of [1, 1024])
      expect(parseEnv((await runFillEnvFile({ '.env.example': `A=generate:${length}` })).text)['A']).to.have.length(
        length,
      );
  });
});

describe('migration summary', () => {
  const step = (more: Partial<MigrationStep> = {}): MigrationStep => ({
    ...{ store: 'main', table: 'cat', change: 'add column', detail: 'born date', sql: ['ALTER a', 'ALTER b'] },
    ...{ destructive: false, loses: null, ...more },
  });
  const warning = { store: 'main', table: 'cat', column: 'name', message: 'it differs' };
  const words = (steps: readonly MigrationStep[], warnings: readonly (typeof warning)[] = []): string =>
    formatMigration({ steps, warnings }, omitColor);

  it('counts created, removed and unchanged items', () => {
    expect(words([])).to.equal('nothing to change');
    expect(words([step()])).to.equal('cat (main)\n  + add column  born date\n\n1 change to apply');
    const away = step({ change: 'drop', detail: 'x', destructive: true, loses: '3 rows' });
    expect(words([step(), away]).split('\n')).to.deep.equal([
      ...['cat (main)', '  + add column  born date', '  - drop        x: loses 3 rows', ''],
      '2 changes to apply, 1 destructive',
    ]);
    expect(words([away, away]).split('\n').at(-1)).to.equal('2 changes to apply, 2 destructive');
    expect(words([], [warning]).split('\n')).to.deep.equal([
      ...['cat (main)', '  ! name: it differs', '', 'nothing to change; 1 difference not changed'],
    ]);
    expect(words([step()], [warning, warning])).to.match(/\n1 change to apply; 2 differences not changed$/);
  });

  it('is grouped by table, and by connection if there are several', () => {
    expect(
      words([step(), step({ table: 'dog' }), step()])
        .split('\n')
        .slice(0, 5),
    ).to.deep.equal([
      ...[
        'cat (main)',
        '  + add column  born date',
        '  + add column  born date',
        'dog (main)',
        '  + add column  born date',
      ],
    ]);
    expect(words([step(), step({ store: 'documents.main' })]).split('\n')).to.deep.equal([
      ...['connection main: 1 change to apply', 'cat (main)', '  + add column  born date', ''],
      ...[
        'documents.main: 1 change to apply',
        'cat (documents.main)',
        '  + add column  born date',
        '',
        '2 changes to apply',
      ],
    ]);
  });

  it('can be printed as a script', () => {
    const script = formatMigrationScript({ steps: [step(), step({ loses: '3 rows' })], warnings: [warning] });
    expect(script.split('\n')).to.deep.equal([
      ...['-- main: cat name: it differs', '-- main: cat, add column', 'ALTER a;', 'ALTER b;'],
      ...['-- main: cat, add column: loses 3 rows', 'ALTER a;', 'ALTER b;'],
    ]);
    expect(formatMigrationScript({ steps: [], warnings: [] })).to.equal('-- nothing to change');
  });
});

describe('terminal output', () => {
  const isColoured = (env: Record<string, string>, isTTY?: boolean): boolean =>
    createPaint({ env, stdout: { isTTY } } as unknown as Terminal)('error', 'x') !== 'x';

  it('is coloured on a terminal unless the environment disables it', () => {
    expect(isColoured({}, true)).to.equal(true);
    expect([isColoured({}), isColoured({}, false), isColoured({ NO_COLOR: '1' }, true)]).to.deep.equal([
      false,
      false,
      false,
    ]);
    expect([isColoured({ FORCE_COLOR: '1' }), isColoured({ FORCE_COLOR: '1', NO_COLOR: '1' }, true)]).to.deep.equal([
      true,
      true,
    ]);
    const paint = createPaint({ env: {}, stdout: { isTTY: true } } as unknown as Terminal);
    expect(paint('error', 'x')).to.include('\u001b[31m').and.include('\u001b[1m');
    expect(paint('warning', 'x')).to.include('\u001b[33m');
    expect(paint('hint', 'x')).to.include('\u001b[34m');
    expect(paint('dim', 'x')).to.include('\u001b[2m');
    expect(paint('bold', 'x')).to.include('\u001b[1m').and.not.include('\u001b[3');
  });

  it('contains the text of the catalogue, the place and the help, or the thrown message', () => {
    const lines = formatError(
      new BootError('CLI_FILE', { file: 'a.txt', what: 'it cannot be read (EISDIR)' }),
      omitColor,
    ).split('\n');
    expect(lines[0]).to.match(/^error CLI_FILE .*a\.txt.*it cannot be read \(EISDIR\)/);
    expect(lines).to.have.length(2);
    expect(lines[1]).to.match(/^ {6}\S/);
    expect(
      formatError(Object.assign(new Error('no option'), { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' }), omitColor),
    ).to.equal('no option');
    expect(formatError(Object.assign(new Error('other'), { code: 'EPIPE' }), omitColor)).to.match(
      /^Error: other\n +at /,
    );
    expect(formatError('text', omitColor)).to.equal('text');
  });
});

describe('changes of definitions that a test should notice', () => {
  const registry = createBuiltinRegistry();
  const listMutants = (action: object): readonly Mutant[] => {
    const definition = { id: 'x', resource: 'x', actionables: [{ id: 1, ...action }] };
    const files = [{ file: 'x.resource.json', text: JSON.stringify(definition) }];
    return createMutants(analyseFiles(files, registry, { env: FIXTURE_ENV, sql: SQL }), registry);
  };

  it('leave out what no case can notice: sums with other operands first, and uniqueness', () => {
    const write = (sum: string): string[] => {
      const query = `UPDATE n SET a = ${sum} WHERE id = $3`;
      const action = { mode: 'QUERY', sql_query: { query, parameters: ['a', 'b', 'c'], unique: ['a'] } };
      return listMutants(action).map(({ change }) => change);
    };
    const swaps = ['with $1 and $2 swapped', 'with $2 and $3 swapped'];
    const sum = write('$1::bigint + $2::bigint');
    expect(sum).to.include.members(['without "parameters"', swaps[1]]);
    expect(sum).not.to.include.oneOf([swaps[0], 'without "unique"']);
    for (const other of ['$1::int + $2::bigint', '$1 - $2', '$1 + $2 * 2', 'a - $1 + $2', '$1 + $2 + $1'])
      expect(write(other), other).to.include.members(swaps);
  });

  it('only arrange the plan where the grammar has the field, and not in a value', () => {
    const mutants = listMutants({ mode: 'RETURN', main_returnable: true, value: { parallel: true } });
    expect(mutants.map(({ change }) => change)).to.include('without "parallel"');
    expect(mutants.filter(({ arranges }) => arranges).map(({ change }) => change)).to.deep.equal([
      'without "main_returnable"',
    ]);
  });
});
