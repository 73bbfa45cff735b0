import { startKernel, DATABASES } from '../support/kernel.js';
import { DUE, eventually, JOBS, noJobs, queueIn } from '../support/jobs.js';
import { later, statement } from '../support/job-steps.js';
describe('measure', function () {
  this.timeout(280000);
  for (const { name, make } of DATABASES) for (const off of ['', '1', '', '1'])
  it(`${name} ${off}`, async () => {
    if (off) process.env['NO_NOTE'] = '1'; else delete process.env['NO_NOTE'];
    const db = await make();
    if ('skip' in db) return;
    const N = 1500;
    const k = await startKernel({ files: {
      'definitions/models.json': { _rows: { id: { type: 'String', primary_key: true }, ref: { type: 'String' } } },
      'definitions/all.json': [DUE, JOBS, later('one', [statement(1, 'INSERT INTO rows (id, ref) VALUES ($1, $2)', ['$GENERATOR.ULID', '$PAYLOAD.ref'])], { queue: { delay: 3600 } }),
        { id: 'count', resource: 'count', actionables: [statement(1, 'SELECT (SELECT count(*) FROM rows) AS rows, (SELECT count(*) FROM lintel_jobs) AS jobs')] }],
    } as never, config: { connections: db.connections, queue: queueIn(name) }, env: db.env });
    for (let i = 0; i < N; i += 50) await Promise.all(Array.from({ length: 50 }, (_, j) => k.post('/one', { ref: String(i + j) })));
    const count = async () => ((await k.post('/count', {})).body as any);
    const before = process.cpuUsage(); const t = performance.now();
    await k.post('/due', {});
    await eventually(count, (c: any) => Number(c.jobs) === 0);
    const { user, system } = process.cpuUsage(before);
    console.log(name, off || 'noted', 'cpu us per job', Math.round((user + system) / N), 'wall', Math.round(performance.now() - t), JSON.stringify(await count()));
    void noJobs;
    await k.close();
  });
});
