/** `lintel check --fix`, `--fix-all` and `lintel audit`: what is written, what is unchanged, and the exit code. */
import { expect } from 'chai';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli, type Finished } from '../support/cli.js';
import { createTempProject, type TempProject } from '../support/project.js';

const MODEL =
  '{\n  "id": { "type": "String", "primary_key": true },\n  "owner": { "type": "String" } // of a user\n}\n';
const TOKENS = '"tokenize": { "type": "JWT", "algorithm": "HS256", "encryption_key": "$ENV.JWT_SECRET_KEY" },';
const mine = (id: string, more: string, action: string): string =>
  `{\n  // ${id}\n  "id": "${id}", "resource": "${id}", ${TOKENS}\n  "protected": { "extract_claims": ["id"] },${more}\n  "actionables": [\n    { "id": 1, "mode": "QUERY", ${action} }\n  ],\n  "returnables": ["id"]\n}\n`;
const query = (text: string, parameters: string): string =>
  `"sql_query": { "query": "${text}", "parameters": ${parameters} }`;
const SENT = query('INSERT INTO _note (id, owner) VALUES ($1, $2)', '["$GENERATOR.ULID", "owner"]');
const RULE = '"payload_validation": [{ "field": { "owner": { "type": "STRING" } } }],';

describe('lintel check --fix and audit', function () {
  let project!: TempProject;
  const file = (name: string): string => join(project.folder, 'definitions', name);
  const run = (...words: string[]): Promise<Finished> =>
    runCli(words, { cwd: project.folder, env: { JWT_SECRET_KEY: 'j'.repeat(64) } });

  before(async () => {
    project = await createTempProject({
      'definitions/_note.model.json': MODEL,
      'definitions/mine.json': mine('mine', '', query('SELECT id FROM _note WHERE owner = $1', '["$PROTECTED.id"]')),
    });
  });
  after(() => (project as TempProject | undefined)?.dispose());

  it('applies certain fixes, preserves comments, and changes neither guards nor uncertain cases', async () => {
    const text = mine(
      'list',
      '',
      `"extract_respnse_for": [{ "extract": "id", "for": "spare" }], ${query('SELECT id FROM _note WHERE ownr = $1', '["$PROTECTED.id"]')}`,
    );
    writeFileSync(file('list.json'), text);
    const before = await run('check');
    expect(before.code).to.equal(1);
    const { code, stdout, stderr } = await run('check', '--fix');
    const fixed = readFileSync(file('list.json'), 'utf8');
    expect(fixed).to.equal(text.replace('respnse', 'response').replace('ownr', 'owner'));
    expect(stderr).to.contain('Fixes applied: 2, files changed: 1.');
    expect(code).to.equal(0);
    expect(stdout).to.contain('LNK_NAME_UNUSED').and.not.to.contain('SQL_COLUMN');
    expect((await run('check', '--fix')).stderr).to.contain('Fixes applied: 0, files changed: 0.');
  });

  it('applies a guess only after confirmation', async () => {
    const text = mine('drop', '', query('SELECT id FROM _note WHERE owner = $1', '["$PROTECTED.id", 5]'));
    writeFileSync(file('drop.json'), text);
    expect((await run('check', '--fix')).code).to.equal(1);
    const asked = await run('check', '--fix-all');
    expect([asked.code, readFileSync(file('drop.json'), 'utf8')]).to.deep.equal([1, text]);
    const { code } = await run('check', '--fix-all', '--yes');
    expect([code, readFileSync(file('drop.json'), 'utf8')]).to.deep.equal([0, text.replace(', 5]', ']')]);
  });

  it('reports problems with one cause once, with their resource', async () => {
    const two = ['one', 'two'].map((id) =>
      mine(id, '', `${RULE} ${query('SELECT id FROM _note WHERE owner = $1', '["$PROTECTED.id"]')}`),
    );
    writeFileSync(file('two.json'), `[${two.join(',')}]`);
    const { stdout } = await run('check');
    const frames = stdout.split('\n\n').filter((frame) => frame.includes('LNK_RULE_UNUSED'));
    expect(frames).to.have.length(1);
    expect(frames[0])
      .to.match(/two\.json:6:\d+ in "one"/)
      .and.match(/also at \S+two\.json:\d+:\d+$/);
    writeFileSync(file('two.json'), '[]');
  });

  it('audits callers and rows, and accepts a reason as an answer', async () => {
    expect((await run('audit')).code).to.equal(0);
    writeFileSync(file('sent.json'), mine('sent', '', RULE + SENT));
    const found = await run('audit');
    expect(found.code).to.equal(1);
    expect(found.stdout).to.contain('AUD_OWNER_SENT').and.contain('(likely)').and.contain('0 errors, 1 warning');
    expect(found.stdout).not.to.contain('LNK_NAME_UNUSED');
    const reason = ' "acknowledge": [{ "code": "AUD_OWNER_SENT", "because": "an import" }],';
    writeFileSync(file('sent.json'), mine('sent', reason, RULE + SENT));
    const after = await run('audit');
    expect([after.code, after.stdout]).to.deep.equal([0, '0 errors, 0 warnings, 0 hints (1 acknowledged)\n']);
  });
});
