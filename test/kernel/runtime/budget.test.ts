/**
 * Time budgets of the front end and the compiler, for editing and reloading. Processor time of warm code, the minimum
 * of several rounds. The figures are printed.
 */
import { expect } from 'chai';
import { analyseFiles } from '../../../language/analysis/analyse.js';
import { compilePlanSet } from '../../../kernel/plan/plan-set.js';
import type { Issue } from '../../../contract/problem.js';
import { createHooks } from '../../../kernel/runtime/hooks.js';
import { createInstances } from '../../../kernel/runtime/instances.js';
import { createRuntimeServices } from '../../../kernel/runtime/runtime-services.js';
import { loadProject } from '../../../plugins/distribution.js';
import { loadDefinitions } from '../../../language/project/project.js';
import { createBuiltinRegistry, FIXTURE_ENV } from '../../support/fixtures.js';
import { compileRule } from '../../conform/rules.js';
import { measureCpuTime, measureLeastCpuTime } from '../../support/cpu.js';
import { createTempProject } from '../../support/project.js';

const FILE_BUDGET = 10;
/** For a thousand payloads. */
const RULES_BUDGET = 10;
const COMPILE_BUDGET = 500;

const report = (line: string): void => void process.stdout.write(`      ${line}\n`);

const resource = (index: number): object => ({
  id: `account-${index}`,
  resource: `accounts/${index}`,
  actionables: [
    {
      id: 1,
      mode: 'QUERY',
      no_op: true,
      payload_validation: [
        { field: { owner: { type: 'STRING' } }, min_length: 1, max_length: 80 },
        { field: { email: { type: 'EMAIL' } } },
      ],
      sql_query: {
        query: 'SELECT balance FROM accounts WHERE owner = $1 AND email = $2',
        parameters: ['owner', 'email'],
      },
    },
    {
      id: 2,
      mode: 'QUERY',
      depends_on: [
        { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'balance', for: 'before' }] },
      ],
      sql_query: {
        query: 'INSERT INTO accounts (id, owner, email, balance, created_at) VALUES ($1, $2, $3, $4, $5)',
        parameters: ['$GENERATOR.ULID', 'owner', 'email', 'before', '$DATETIME'],
      },
    },
  ],
  returnables: ['id', 'owner', 'email'],
});

const model = {
  id: { type: 'String', primary_key: true },
  owner: { type: 'String', max_length: 80 },
  email: { type: 'String' },
  balance: { type: 'Number' },
  created_at: { type: 'DateTime' },
};

describe('time budgets', function () {
  it(`analyses a file of 500 lines in less than ${FILE_BUDGET} ms`, () => {
    const registry = createBuiltinRegistry();
    const resources: object[] = [];
    let text = '[]';
    while (text.split('\n').length < 500) {
      resources.push(resource(resources.length));
      text = JSON.stringify(resources, null, 2);
    }
    const files = [
      { file: 'all.json', text },
      { file: '_account.json', text: JSON.stringify(model) },
    ];
    expect(analyseFiles(files, registry, { env: FIXTURE_ENV }).problems).to.deep.equal([]);
    const least = measureLeastCpuTime({ rounds: 16, times: 4, bound: FILE_BUDGET }, () =>
      analyseFiles(files, registry, { env: FIXTURE_ENV }),
    );
    report(`${text.split('\n').length} lines, ${resources.length} resources: ${least.toFixed(2)} ms`);
    expect(least).to.be.lessThan(FILE_BUDGET);
  });

  it(`compiles 200 resources in less than ${COMPILE_BUDGET} ms`, async () => {
    const project = await createTempProject({ 'definitions/_account.json': model });
    try {
      for (let i = 0; i < 200; i++) await project.write(`definitions/${i}.json`, resource(i));
      const loaded = await loadProject(project.folder, undefined, {});
      if (loaded.config === null) throw new Error('no config');
      const doNothing = (): void => {};
      const log = { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing };
      const { analysis } = await loadDefinitions(loaded, loaded.config);
      const { signal } = new AbortController();
      const running = createRuntimeServices({
        plans: () => null,
        served: () => null,
        hooks: () => null,
        listJobAdmins: () => [],
        codes: {},
        docs: () => '',
        runner: () => expect.fail('no part runs'),
        log,
      });
      const handles = createInstances({ project: loaded, hooks: createHooks(), log, signal, running });
      await handles.load([...loaded.configUses, ...analysis.uses], loaded.config.chosen);
      const compile = (): number =>
        compilePlanSet(analysis, {
          registry: loaded.registry,
          handles,
          intercept: (_, execute) => execute,
          profile: null,
          testing: false,
          uses: analysis.uses,
          runner: () => expect.fail('no part is compiled'),
        }).byId.size;
      expect(compile()).to.equal(200);
      const least = measureLeastCpuTime({ rounds: 2, bound: COMPILE_BUDGET }, compile);
      report(`200 resources: ${least.toFixed(1)} ms`);
      expect(least).to.be.lessThan(COMPILE_BUDGET);
    } finally {
      await project.dispose();
    }
  });

  it('is not exceeded by a large file pasted by mistake', () => {
    const registry = createBuiltinRegistry();
    const keys = Array.from({ length: 20_000 }, (_, i) => `"key${i}": ${i}`).join(',');
    const text = `{ "id": "a", "resource": "a", "actionables": [], ${keys} }`;
    let found = 0;
    const took = measureCpuTime(() => {
      found = analyseFiles([{ file: 'a.json', text }], registry, { env: FIXTURE_ENV }).problems.length;
    });
    report(`20,000 unknown fields: ${took.toFixed(0)} ms`);
    expect(found).to.equal(20_000);
    expect(took).to.be.lessThan(2000);
  });

  it('analyses in time linear in the number of files', () => {
    const registry = createBuiltinRegistry();
    const time = (count: number): number => {
      const files = Array.from({ length: count }, (_, i) => ({ file: `${i}.json`, text: JSON.stringify(resource(i)) }));
      files.push({ file: '_account.json', text: JSON.stringify(model) });
      return (
        measureLeastCpuTime({ rounds: 1, bound: 0 }, () => analyseFiles(files, registry, { env: FIXTURE_ENV })) / count
      );
    };
    const [few, many] = [time(80), time(800)];
    report(`per resource: ${few.toFixed(3)} ms among 80, ${many.toFixed(3)} ms among 800`);
    expect(many / few).to.be.lessThan(4);
  });
});

describe('time budget of payload rules', () => {
  it(`validates a payload of 1 KB within ${RULES_BUDGET} µs, nested lists included`, () => {
    const validate = compileRule({
      type: 'OBJECT',
      fields: {
        customer: { type: 'OBJECT', fields: { name: { type: 'STRING', max_length: 80 }, email: { type: 'EMAIL' } } },
        items: { type: 'ARRAY', fields: { sku: { type: 'STRING', min_length: 2 }, n: { type: 'NUMBER', min: 1 } } },
        tags: { type: 'STRINGARRAY', arr_length: 10, items_max_length: 20 },
      },
    });
    const payload = {
      customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
      items: Array.from({ length: 25 }, (_, i) => ({ sku: `sku-${i}-abcdef`, n: i + 1 })),
      tags: ['one', 'two', 'three'],
    };
    expect(JSON.stringify(payload).length).to.be.within(800, 1200);
    const issues: Issue[] = [];
    const thousand = measureLeastCpuTime({ rounds: 4, times: 30, bound: RULES_BUDGET }, () => {
      for (let i = 0; i < 1000; i++) validate(payload, '', issues);
    });
    expect(issues).to.deep.equal([]);
    report(`rules for 1 KB: ${thousand.toFixed(2)} µs`);
    expect(thousand).to.be.below(RULES_BUDGET);
  });
});
