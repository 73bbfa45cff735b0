/**
 * The sample payload that an editor offers for each definition of the sample, sent to a kernel that serves them: every
 * rule accepts it.
 */
import { expect } from 'chai';
import { createRequestShape, type RequestShape } from '../../language/export/openapi/request.js';
import { loadSqlParser } from '../../plugins/queries/sql/parser/load-parser.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { copySample, SAMPLE_ENV } from '../support/project.js';
import { createPerson } from '../support/wallet.js';

/** Expects names of files that were stored before. */
const PRESUMING = 'gallery-remove-01';

const connections = { main: { use: 'pglite', path: 'memory://' } };

describe('sample requests', function () {
  let kernel: TestKernel;
  let token: string;
  before(async () => {
    kernel = await startKernel({ prepare: copySample, env: SAMPLE_ENV, config: { connections } });
    ({ token } = await createPerson(kernel));
  });
  after(() => kernel.close());

  it('are accepted, or rejected for another reason than a rule', async () => {
    const { project, config } = kernel.kernel;
    const analysis = kernel.kernel.analysis();
    const info = { title: '', version: '' };
    const input = { analysis, registry: project.registry, config, info, sql: await loadSqlParser() };
    const shapes = analysis.resources.flatMap((resource) => createRequestShape(input, resource) ?? []);
    expect(shapes.length).to.be.greaterThan(20);
    const seen: Record<string, number> = {};
    for (const shape of shapes.filter(({ id, files }) => files.length === 0 && id !== PRESUMING)) {
      const path = shape.parameters.reduce((text, { name, sample }) => text.replace(`:${name}`, sample), shape.path);
      const { status, text } = await kernel.post(path, shape.payload, { headers: createHeaders(shape, token) });
      expect(status, `${shape.id}: ${text}`).not.to.be.oneOf([400, 413, 415, 422]);
      seen[shape.id] = status;
    }
    expect(Object.values(seen).filter((status) => status === 200 || status === 202).length).to.be.greaterThan(8);
  });

  it('are checked by a check that can fail', async () => {
    expect((await kernel.post('/sign-up', {})).status).to.equal(422);
  });
});

/** A token in the header that the resource names. */
const createHeaders = ({ ways: [way = []] }: RequestShape, token: string): Record<string, string> =>
  Object.fromEntries(way.map(({ header, prefix }) => [header, `${prefix}${token}`]));
