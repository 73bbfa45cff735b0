/** Hand-written compile input of one resource: for tests of the compiler without definitions, plugins or a kernel. */
import type { ActionModel, ResourceModel } from '../../language/analysis/model.js';
import type { ModelTable } from '../../contract/model.js';
import { hasBlindColumns } from '../../language/analysis/conceal-pattern.js';
import { listResourceRealms } from '../../language/analysis/uid-namespace.js';
import type { Registry } from '../../language/analysis/registry.js';
import { createSources } from '../../language/analysis/sources.js';
import type { CompiledAccessor as Compiled } from '../../contract/handles.js';
import type { ResourceScope } from '../../kernel/plan/tools.js';
import type { Frame, PlanTools } from '../../contract/plan.js';
import { compileWork } from '../../plugins/triggers/deferred-work/runner.js';
import type { PartRunner } from '../../contract/part.js';
import { Slot } from '../../contract/slot.js';
import { createTestInvocation } from './invocation.js';

type CompileTail = (tail: readonly string[], tools: PlanTools) => Compiled;

/**
 * One accessor for each way in which an accessor can read. `$ENV` is constant, `$LENIENT` reads absent values as null.
 */
const ACCESSORS: Readonly<Record<string, readonly [reads: string | undefined, compile: CompileTail]>> = {
  PAYLOAD: ['payload', ([name = '']) => ({ constant: false, field: name, read: ({ payload }) => payload[name] })],
  HEADER: [
    'headers',
    ([header = '']) => ({ constant: false, header, read: ({ invocation }) => invocation.headers[header] }),
  ],
  IP: ['headers', () => ({ constant: false, remote: true, read: ({ invocation }) => invocation.remote })],
  FIXED: ['headers', () => ({ constant: true, read: () => 'fixed' })],
  TOKEN: ['claims', (tail, tools) => ({ constant: false, read: tools.claim(tail) })],
  NEW: ['nothing', () => ({ constant: false, once: 9, read: () => 'new' })],
  ENV: [undefined, ([name = '']) => ({ constant: true, read: () => `${name} of the environment` })],
  OTHER: [undefined, () => ({ constant: false, read: () => 'other' })],
  LENIENT: ['nothing', (_tail, { absentIsNull }) => ({ constant: false, read: () => absentIsNull })],
};

const plugins = new Map<string, object>([
  ...Object.entries(ACCESSORS).map(([name, [reads]]) => [`accessor:${name}`, { facts: { reads } }] as const),
  ['feature:judge', { facts: { validates: true } }],
  ['feature:plain', {}],
]);

const registry = {
  listRoots: () => [],
  plugins,
  listKinds: (slot: string) => (slot === Slot.ACCESSOR ? [{ kind: 'accessor' }] : []),
  names: (kind: string) => (kind === 'accessor' ? Object.keys(ACCESSORS) : []),
  plugin: (kind: string, name: string) => plugins.get(`${kind}:${name}`),
} as unknown as Registry;

/**
 * Its names, rules, path and actionables define the sources of values, as the checker resolves them; it contains no
 * query.
 */
export function createResourceModel(rest: Partial<ResourceModel> = {}): ResourceModel {
  const rules = [...(rest.payloadFields ?? new Map<string, unknown>()).keys()];
  const declarations = rules.map((name) => ({ symbol: 'payload-field', name }));
  const model = {
    ...{ id: 'notes', path: 'notes', value: {}, actions: [], places: [], sound: true },
    ...{ payloadFields: new Map(), names: new Set(), generated: new Set(), claims: new Set() },
    ...rest,
    definition: {
      node: { start: 0, end: 0 },
      finds: { declarations, references: [], accessors: [], places: [], statements: [], documents: [] },
      ...rest.definition,
    },
  };
  return { sources: createSources(model as never, registry), ...model } as unknown as ResourceModel;
}

export const createActionModel = (id: number, rest: Partial<ActionModel> = {}): ActionModel =>
  ({
    ...{
      key: `notes#${id}`,
      resource: 'notes',
      id,
      value: { id },
      parallel: false,
      timing: { scheduled: false, later: false, own: false },
      repeat: null,
      node: { start: 0, end: 0 },
    },
    ...{ depends: [], places: [], stores: [], models: [], secrets: [], parameters: new Map() },
    behind: { models: [], objects: [] },
    definition: { finds: { declarations: [], statements: [], documents: [], accessors: [] } },
    ...rest,
  }) as unknown as ActionModel;

export const createTestScope = (rest: Partial<ResourceScope> = {}): ResourceScope => {
  const resource = rest.resource ?? createResourceModel();
  return {
    ...{
      resource,
      resources: new Map([[resource.id, resource]]),
      registry,
      tables: new Map(),
      isolations: new Map(),
      sequence: [],
      actions: new Map(),
      intercept: (_mode, execute) => execute,
    },
    handles: {
      handle: (id) => ({ compile: ACCESSORS[id.slice('accessor:'.length)]?.[1] }),
      resolve: (asking, { kind }, name) => `${kind}:${name} for ${asking}` as never,
    },
    ...{ lookupOrder: [], needed: [], slots: { count: 0, byName: new Map(), memos: [], makers: [] } },
    ...{
      profile: null,
      testing: false,
      uses: new Set<string>(),
      version: () => 'v',
      plugins: new Set<string>(),
      hasBlindColumns: () => hasBlindColumns((rest.tables ?? new Map()) as ReadonlyMap<string, ModelTable>),
      listRealms: () => listResourceRealms(registry, [resource]),
      runner: () => ({ compile: compileWork }) as unknown as PartRunner,
      asked: [],
      once: [],
      taken: [],
      reads: [],
      revealed: [],
      indexSources: [],
    },
    ...rest,
  };
};

/** The input of readers. */
export const createTestFrame = (rest: Partial<Frame> = {}): Frame =>
  ({
    payload: {},
    claims: null,
    slots: [],
    results: [],
    invocation: createTestInvocation(),
    ...rest,
  }) as unknown as Frame;
