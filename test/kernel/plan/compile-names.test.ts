/**
 * Names in queries at compile time: which values they write, and what the single item of a list provides to later
 * actionables.
 */
import { expect } from 'chai';
import type { ActionModel } from '../../../language/analysis/model.js';
import { createTools } from '../../../kernel/plan/tools.js';
import { createActionModel, createTestFrame, createResourceModel, createTestScope } from '../../support/scopes.js';

const PLAIN = 'feature:plain';

describe('names of queries', () => {
  const value = { start: 5, end: 6, pointer: '/actionables/1/sql/parameters/0', type: 'string', scalar: 'title' };
  const statement = { node: value, parameters: [value], scan: { placeholders: [{ n: 1, stands: ['name'] }] } };
  const reference = { refers: { symbol: 'name', soft: true }, name: 'title', node: value, spot: value };
  const parameters = new Map([[value.pointer, { source: 'name' }]]);
  const [first, second] = [
    createActionModel(1, { node: { start: 0, end: 4 } } as never),
    createActionModel(2, { node: { start: 4, end: 9 }, parameters } as never),
  ];
  const finds = {
    declarations: [],
    references: [reference],
    accessors: [],
    places: [],
    statements: [statement],
    documents: [],
  };
  const definition = { finds } as never;
  const createNameScope = (rest: Parameters<typeof createResourceModel>[0] = {}, sequence = [first, second]) =>
    createTestScope({ resource: createResourceModel({ definition, actions: [first, second], ...rest }), sequence });

  it('are written with their nested parts by their own actionable', () => {
    const writes = (action: ActionModel | null, ...path: string[]) =>
      createTools(createNameScope(), action, PLAIN).isWritten(path);
    expect([writes(second, 'title'), writes(second, 'title', 'de')]).to.deep.equal([true, true]);
    expect([writes(second, 'name'), writes(first, 'title'), writes(null, 'title')]).to.deep.equal([
      false,
      false,
      false,
    ]);
  });

  it('are set from the single item of a list before the query', () => {
    const source = { sort: 'output', name: 'title', makers: ['notes#1'], why: null } as const;
    const sources = {
      listSources: () => [source],
      resolveBare: () => source,
      read: () => source,
      listNames: () => [source],
    };
    const outputs = (action: ActionModel | null, sequence?: ActionModel[]) => {
      const scope = createNameScope({ sources }, sequence);
      return { scope, outputs: createTools(scope, action, PLAIN).outputs() };
    };
    const { scope, outputs: given } = outputs(first);
    const frame = createTestFrame();
    given?.assignItem(frame, { title: 'x', other: 'y' });
    expect([given?.names, frame.slots]).to.deep.equal([['title'], ['x']]);
    expect(createTools(scope, second, PLAIN).slot('title')).to.equal(0);
    for (const none of [outputs(second), outputs(null), outputs(first, [first])]) expect(none.outputs).to.equal(null);
  });
});
