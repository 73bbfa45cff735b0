/** `lintel test`: rows of tables that refer to one another are inserted and deleted in the order that foreign keys need. */
import { expect } from 'chai';
import { runCli } from '../support/cli.js';
import { createTempProject } from '../support/project.js';

const list = (id: string, query: string): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'QUERY', sql_query: { query } }],
  protected: { extract_claims: ['id'] },
  tokenize: { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.JWT_SECRET_KEY' },
  returnables: ['id'],
});
const TESTS = {
  id: 'order',
  given: { claims: { id: 'ada' }, tables: { replies: [{ id: 1, note: 5 }], notes: [{ id: 5 }] } },
  cases: [
    {
      id: 'whatever the order of the tables',
      steps: [
        { request: { resource: 'replies', as: true }, expect: { body: { id: 1 } } },
        { insert: { replies: [{ id: 2, note: 6 }], notes: [{ id: 6 }] } },
        { delete: { notes: [{ id: 5 }], replies: [{ id: 1 }] } },
      ],
      expect: { tables: { replies: [{ id: 2 }], notes: [{ id: 6 }] }, jobs: [{ resource: 'replies' }] },
    },
  ],
};

describe('lintel test: order of rows', () => {
  it('follows foreign keys, and a caller is that of the file where a request says so', async () => {
    const project = await createTempProject({
      '.env.example': 'JWT_SECRET_KEY=generate:40\n',
      'lintel.config.json': {},
      'definitions/_note.model.json': { id: { type: 'Number', primary_key: true } },
      'definitions/_reply.model.json': {
        id: { type: 'Number', primary_key: true },
        note: { type: 'Number', foreign_key: { of: '_note', key: 'id' } },
      },
      'definitions/replies.json': list('replies', 'SELECT id FROM replies'),
      'definitions/notes.json': list('notes', 'SELECT id FROM notes'),
      'definitions/order.test.json': TESTS,
    });
    const { stdout, stderr } = await runCli(['test'], { cwd: project.folder });
    await project.dispose();
    expect(stderr).to.equal('');
    expect(stdout).to.contain('no such job; the jobs without an expectation: []').and.contain('0 passed, 1 failed');
    expect(stdout.match(/error expectation/g)).to.have.lengthOf(1);
  });
});
