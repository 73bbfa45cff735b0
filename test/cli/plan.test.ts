/**
 * Plan fixtures: compiled definitions, as `lintel plan` and the table of endpoints show them. Compiled without a
 * connection.
 */
import { expect } from 'chai';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { omitColor } from '../../cli/colors.js';
import { formatEndpointTable, formatScheduleTable } from '../../cli/table.js';
import type { ResourceSummary } from '../../contract/resource-plan.js';
import { createKernel, type Kernel } from '../../kernel/runtime/kernel.js';
import { loadProject } from '../../plugins/distribution.js';
import { asText, isObject, type Json } from '../../contract/json.js';
import { compareWithFile, isUpdating } from '../support/expected-file.js';
import { listCaseNames } from '../support/fixtures.js';
import { ROOT } from '../support/project.js';

const PLANS = join(ROOT, 'test', 'fixtures', 'plans');
const SECRET = 'S3CRET-value-of-the-environment';

const doNothing = (): void => {};
const quiet = { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing };

async function compileFolder(folder: string): Promise<Kernel> {
  const project = await loadProject(folder, undefined, { JWT_SECRET_KEY: SECRET });
  return createKernel({ project, log: quiet, onProblem: 'refuse', connect: false });
}

/** File names in a plan are relative to where the project was loaded, with the separators of the machine. */
function toPortableSummary(summary: ResourceSummary): Json {
  const { describe: plan, ...rest } = summary;
  const file = isObject(plan) ? asText(plan['file']).replaceAll('\\', '/') : '';
  return JSON.parse(JSON.stringify({ ...rest, describe: { ...(plan as object), file } })) as Json;
}

/** Of a new fixture all of them. */
function expectedIds(file: string, kernel: Kernel): string[] {
  if (isUpdating && !existsSync(file)) return [...kernel.plans().byId.keys()];
  return Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object);
}

describe('plan fixtures', () => {
  const names = listCaseNames(PLANS);

  it('have at least the required number', () => expect(names.length).to.be.at.least(8));

  for (const name of names) {
    it(name, async () => {
      const folder = join(PLANS, name);
      const kernel = await compileFolder(folder);
      try {
        const file = join(folder, 'plan.json');
        const ids = expectedIds(file, kernel);
        expect(ids.length).to.be.at.least(1);
        const found = Object.fromEntries(
          ids.map((id) => {
            const plan = kernel.plans().byId.get(id);
            if (plan === undefined) throw new Error(`no plan of "${id}"`);
            return [id, toPortableSummary(plan.summary)];
          }),
        );
        await compareWithFile(file, found, 'cli/plan');
        expect(JSON.stringify(found)).not.to.include(SECRET);
      } finally {
        await kernel.close('done');
      }
    });
  }
});

describe('plans', () => {
  const inCase = async (name: string, validate: (kernel: Kernel) => void): Promise<void> => {
    const kernel = await compileFolder(join(PLANS, name));
    try {
      validate(kernel);
    } finally {
      await kernel.close('done');
    }
  };

  it('are frozen, and can be found by id and by path', async () => {
    await inCase('return-of-values', (kernel) => {
      const { byId, byPath } = kernel.plans();
      const plan = byId.get('health');
      expect(plan).not.to.equal(undefined);
      expect(byPath.get('/ops/health')).to.equal(plan);
      expect(byPath.get('/health')).to.equal(plan);
      expect(Object.isFrozen(plan)).to.equal(true);
      expect(Object.isFrozen(plan?.groups[0])).to.equal(true);
    });
  });

  it('list their servers and the next scheduled run', async () => {
    await inCase('parts-and-schedules', (kernel) => {
      const plans = kernel.plans();
      const [, later, mixed, ...more] = formatEndpointTable(plans, ['POST'], omitColor).split('\n');
      expect([later, mixed].map((line) => line?.split(/ {2,}/).at(-1))).to.deep.equal(['202, job', 'result, then job']);
      expect(more).to.deep.equal([]);
      const lines = (formatScheduleTable(plans, Date.UTC(2026, 6, 1, 12, 1), omitColor) ?? '').split('\n').slice(1);
      expect(lines.map((line) => line.split(/ {2,}/))).to.have.deep.members([
        ['mixed#3', '0 0 3 * * *', 'Europe/Berlin', '2026-07-02T01:00:00Z'],
        ['clock#1', '0 */5 * * * *', 'UTC', '2026-07-01T12:05:00Z'],
      ]);
    });
    await inCase('return-of-values', (kernel) => {
      expect(formatScheduleTable(kernel.plans(), 0, omitColor)).to.equal(null);
      expect(formatEndpointTable(kernel.plans(), ['POST'], omitColor)).not.to.contain('response');
    });
  });

  it('do not serve resources whose work only runs on events', async () => {
    await inCase('main-result', (kernel) => {
      const reachable = [...kernel.plans().byId.values()].map(({ id, reachable: is }) => `${id} ${is}`);
      expect(reachable).to.deep.equal([
        'marked true',
        'marked-no-op true',
        'last true',
        'nothing false',
        'empty false',
      ]);
    });
  });

  it('give every actionable its own result, in the order they run', async () => {
    await inCase('order-of-dependencies', (kernel) => {
      const actions =
        kernel
          .plans()
          .byId.get('ordered')
          ?.groups.flatMap((group) => group.actions) ?? [];
      expect(actions.map(({ key, index }) => `${key} ${index}`)).to.deep.equal([
        'ordered#4 0',
        'ordered#5 1',
        'ordered#3 2',
        'ordered#1 3',
        'ordered#2 4',
      ]);
    });
  });

  it('list what tables must contain: fields, timestamps that statements use, and unique sets', async () => {
    await inCase('statements-with-switches', (kernel) => {
      const [table] = kernel.plans().tables;
      expect(
        table?.columns.map(({ name, type, nullable }) => `${name} ${type}${nullable ? ' or null' : ''}`),
      ).to.deep.equal([
        'id text',
        'sku text',
        'amount integer or null',
        'created_at timestamp or null',
        'updated_at timestamp or null',
        'deleted_at timestamp or null',
      ]);
      expect(table?.uniques).to.deep.equal([['sku', 'amount'], ['sku']]);
      const takes = [...kernel.plans().byId.values()].map(({ id, takesList }) => `${id} ${takesList}`);
      expect(takes).to.deep.equal(['dated false', 'list true', 'named-list false']);
    });
  });

  it('have the same hash for the same text and another one for other text', async () => {
    const hashes: string[] = [];
    for (const name of ['return-of-values', 'return-of-values', 'main-result']) {
      await inCase(name, (kernel) => hashes.push(kernel.plans().hash));
    }
    expect(hashes[0]).to.equal(hashes[1]);
    expect(hashes[0]).not.to.equal(hashes[2]);
  });
});
