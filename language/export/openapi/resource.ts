/** Combines what the plugins of a resource describe, in the compiler's execution order. Produces no OpenAPI yet. */
import type {
  ApiChange,
  ApiField,
  ApiFile,
  ApiPart,
  ApiRefusal,
  ApiResults,
  Forms,
  JsonSchema,
} from '../../../contract/api.js';
import type { PluginSpec } from '../../../contract/plugin.js';
import { ResourcePhase, Slot } from '../../../contract/slot.js';
import type { PluginPlace } from '../../analysis/finds.js';
import { divide, immediateIn, mainOf } from '../../analysis/division.js';
import { inside } from '../../analysis/report.js';
import type { ActionModel, ResourceModel } from '../../analysis/model.js';
import { withRenamed } from '../../analysis/renamed.js';
import { ANY, formsOf as formsIn, nullable, schemaAt } from '../../../contract/forms.js';
import { narrower } from './body.js';
import { payloadNames } from './payload-names.js';
import { accessorParts, kernelRefusals, refusalsOf } from './refusals.js';
import { askPlugin, type Around, type Scope } from './scope.js';
import { waysIn, type Guarding } from './security.js';
import { textsOf } from './texts.js';

export interface Described {
  readonly fields: ReadonlyMap<string, ApiField>;
  readonly files: Readonly<Record<string, ApiFile>>;
  /** Schema of a body that is not an object of fields; otherwise null. */
  readonly body: JsonSchema | null;
  readonly headers: NonNullable<ApiPart['headers']>;
  /** Alternatives, each a list of required credentials. */
  readonly security: readonly (readonly Guarding[])[];
  readonly forms: Forms;
  readonly answers: Readonly<Record<string, string>>;
  readonly refusals: readonly ApiRefusal[];
  readonly notes: readonly string[];
  /** The body is a list; the fields are those of its items. */
  readonly list: boolean;
  readonly touches: readonly string[];
  /** The response only confirms that the work was accepted. */
  readonly accepted: boolean;
  /** WebSocket clients cannot call the resource. */
  readonly requestOnly: boolean;
}

interface Told {
  readonly spec: PluginSpec;
  readonly part: ApiPart;
  readonly place: Pick<PluginPlace, 'slot' | 'value' | 'holder'>;
  /** False for nested values, such as the type of a field. */
  readonly direct: boolean;
}

/** Null if no request can reach the resource. */
export function describeResource(scope: Scope, resource: ResourceModel): Described | null {
  const division = divide(
    resource.actions,
    ({ depends }) => depends.flatMap((key) => scope.actions.get(key) ?? []),
    immediateIn(scope.registry),
  );
  const { now, parts } = division;
  const main = mainOf(resource.actions, division);
  const later = parts.filter(({ scheduled }) => !scheduled).flatMap(({ actions }) => actions);
  // Scheduled work is not part of a request.
  const sequence = [...new Set([...now, ...later])];
  const isWhole = main === null && later.length > 0;
  const fields = new Map<string, ApiField>();
  const payload = payloadReader(fields, sequence);
  const ofActions = sequence.map((action) => tell(scope, { resource, action, payload }, action.places, action.node));
  const own = resource.definition.finds.places.filter(
    ({ node }) => !resource.actions.some((action) => inside(node, action.node)),
  );
  const ofResource = tell(scope, { resource, action: null, payload }, own, resource.definition.node);
  const all = [...ofActions.flat(), ...ofResource];
  const reached = reachedIn(scope, resource, sequence);
  const ofReached = reached.flatMap((other) => tellHeld(scope, other, payload));
  if (sequence.length === 0 && !all.some(({ part }) => part.instead !== undefined)) return null;
  for (const { part, direct } of all) if (direct) addFields(fields, part.fields ?? {});
  for (const [name, field] of payloadNames(scope, resource, sequence)) if (!fields.has(name)) fields.set(name, field);
  const read = accessorParts(scope, [
    ...sequence.flatMap((action) => textsOf(action)),
    ...textsOf(null, resource, resource.actions),
  ]);
  const refusals = [
    ...sequence.flatMap((action, i) => {
      const told = ofActions[i] ?? [];
      return [
        ...refusalsOf(scope, now.includes(action) ? told : told.filter(isJudged)),
        ...kernelRefusals(scope, action),
      ];
    }),
    ...refusalsOf(scope, [...ofResource, ...ofReached]),
    ...(ofReached.length > 0 ? reached.flatMap((other) => kernelRefusals(scope, null, other, other.actions)) : []),
    ...kernelRefusals(scope, null, resource, resource.actions),
  ];
  const files = filesOf(all);
  return {
    fields,
    files,
    body: all.map(({ part }) => part.body ?? null).find((body) => body !== null) ?? null,
    headers: merged([...all, ...read], ({ headers }) => headers),
    security: waysIn(scope.registry, all),
    forms: isWhole
      ? applied(changesOf(configParts(scope)), [ACCEPTED], NO_RESULTS)
      : formsOf(scope, resource, main, now, ofActions, ofResource),
    answers: merged([...ofReached, ...all], ({ answers }) => answers),
    refusals,
    notes: all.flatMap(({ part }) => part.notes ?? []),
    list: sequence.some(({ repeat }) => repeat?.from === 'body' && repeat.name === null),
    touches: [...new Set(sequence.flatMap(({ models }) => models))],
    accepted: isWhole,
    requestOnly: Object.keys(files).length > 0 || all.some(({ part }) => part.requestOnly === true),
  };
}

function tell(
  scope: Scope,
  around: Pick<Around, 'resource' | 'action' | 'payload'>,
  places: readonly PluginPlace[],
  holder: object,
): Told[] {
  const { registry } = scope;
  return places.flatMap((place) => {
    const spec = registry.plugins.get(place.plugin);
    if (spec === undefined) return [];
    const { slot, value } = place;
    const { resource, action, payload } = around;
    const part = askPlugin(scope, spec, { resource, action, payload, slot, value, holder: place.holder });
    // A plugin selected by key applies to the object that contains the key.
    const direct = place.node === holder || registry.kind(spec.kind)?.select.by === 'key';
    return [{ spec, part, place, direct }];
  });
}

/** Resources with actionables that a request runs. */
function reachedIn(scope: Scope, resource: ResourceModel, sequence: readonly ActionModel[]): ResourceModel[] {
  const ids = new Set(sequence.map((action) => action.resource));
  return [...ids].flatMap((id) => (id === resource.id ? [] : (scope.resources.get(id) ?? [])));
}

/** Plugins that apply however the resource is reached (fact `holds`). */
function tellHeld(scope: Scope, resource: ResourceModel, payload: Around['payload']): Told[] {
  const { node } = resource.definition;
  const places = resource.places.filter(
    ({ plugin, node: at }) => at === node && scope.registry.plugins.get(plugin)?.facts?.['holds'] !== undefined,
  );
  return tell(scope, { resource, action: null, payload }, places, node);
}

function addFields(fields: Map<string, ApiField>, more: Readonly<Record<string, ApiField>>): void {
  for (const [name, field] of Object.entries(more)) {
    const known = fields.get(name);
    const same = known === undefined || JSON.stringify(known.schema) === JSON.stringify(field.schema);
    const schema = same ? field.schema : { allOf: [known.schema, field.schema] };
    fields.set(name, { schema, required: field.required || known?.required === true });
  }
}

/** Values that are hashed or encrypted differ from the payload, so their type is unknown. */
function payloadReader(fields: ReadonlyMap<string, ApiField>, sequence: readonly ActionModel[]): Around['payload'] {
  const changed = new Set(sequence.flatMap(({ secrets }) => secrets));
  return (path) => {
    const [root, ...rest] = path;
    const field = root === undefined ? undefined : fields.get(root);
    if (field === undefined || changed.has(root ?? '')) return null;
    const found = schemaAt(field.schema, rest) ?? ANY;
    return field.required && rest.length === 0 ? found : nullable(found);
  };
}

function merged<V>(
  all: readonly Pick<Told, 'part'>[],
  read: (part: ApiPart) => Readonly<Record<string, V>> | undefined,
): Readonly<Record<string, V>> {
  return Object.fromEntries(all.flatMap(({ part }) => Object.entries(read(part) ?? {})));
}

function filesOf(all: readonly Pick<Told, 'part'>[]): Readonly<Record<string, ApiFile>> {
  const found = new Map<string, ApiFile>();
  for (const [name, file] of all.flatMap(({ part }) => Object.entries(part.files ?? {}))) {
    const known = found.get(name);
    found.set(name, known === undefined ? file : narrower(known, file));
  }
  return Object.fromEntries(found);
}

function formsOf(
  scope: Scope,
  resource: ResourceModel,
  mainAction: ActionModel | null,
  sequence: readonly ActionModel[],
  ofActions: readonly (readonly Told[])[],
  ofResource: readonly Told[],
): Forms {
  const results: Forms[] = [];
  const names = new Set([...resource.names, ...resource.generated]);
  const main = mainAction === null ? -1 : sequence.indexOf(mainAction);
  const lookup = (own: readonly ActionModel[], skip: number): ApiResults => ({
    others: results.filter((_, i) => i !== skip).reverse(),
    action: (id) => results[sequence.findIndex((one) => one.resource === resource.id && one.id === id)] ?? null,
    names,
    secrets: secretsOf(scope, own),
    main: sequence[main]?.value ?? null,
  });
  let mayEnd = false;
  for (const [i, action] of sequence.entries()) {
    mayEnd ||= (ofActions[i] ?? []).some(({ part }) => part.ends === true);
    const changes = changesOf(ofActions[i] ?? []).filter(({ phase }) => phase < ResourcePhase.ADMIT);
    const forms = applied(changes, [ANY], lookup([action], i));
    results[i] = mayEnd ? [...forms, NOTHING] : forms;
  }
  const changes = changesOf([...ofActions.slice(0, sequence.length).flat(), ...ofResource, ...configParts(scope)]);
  const late = changes.filter(({ phase }) => phase >= ResourcePhase.ADMIT);
  const instead = ofResource.map(({ part }) => part.instead).find((schema) => schema !== undefined) ?? NOTHING;
  return applied(late, results[main] ?? formsIn(instead), lookup(sequence, main));
}

const configParts = (scope: Scope): Told[] =>
  scope.chosen.map(({ spec, options }): Told => {
    const around = { slot: '', value: options, holder: options, resource: null, action: null, payload: () => null };
    return { spec, part: askPlugin(scope, spec, around), place: around, direct: true };
  });

const NOTHING: JsonSchema = { type: 'null' };
/** The response of deferred work. */
const ACCEPTED: JsonSchema = {
  type: 'object',
  properties: {
    accepted: { type: 'boolean', const: true },
    id: { type: 'string', description: 'Id of the work; that of the request.' },
  },
  required: ['accepted', 'id'],
};
const NO_RESULTS: ApiResults = { others: [], action: () => null, names: new Set(), secrets: new Set(), main: null };

/** True for plugins that run before work is accepted. Errors of the deferred work itself never reach the caller. */
const isJudged = ({ place }: Told): boolean => !place.slot.startsWith(`${Slot.ACTIONABLE}.`);

const changesOf = (told: readonly Told[]): ApiChange[] =>
  told
    .filter(({ direct }) => direct)
    .flatMap(({ part }) => part.changes ?? [])
    .sort((a, b) => a.phase - b.phase || (a.order ?? 0) - (b.order ?? 0));

const applied = (changes: readonly ApiChange[], from: Forms, results: ApiResults): Forms =>
  changes.reduce((forms, { change }) => change(forms, results), from);

/** Names omitted from responses unless listed, including their aliases in statements. */
export function secretsOf(scope: Scope, actions: readonly ActionModel[]): ReadonlySet<string> {
  const models = actions.flatMap((action) => action.models.flatMap((name) => scope.models.get(name) ?? []));
  const marked = models.flatMap(({ fields, secrets }) => [
    ...fields.filter(({ value }) => value['secret'] === true).map(({ name }) => name),
    ...secrets,
  ]);
  const statements = actions.flatMap(({ definition, node }) =>
    definition.finds.statements.filter((statement) => inside(statement.node, node)),
  );
  return withRenamed([...marked, ...actions.flatMap(({ secrets }) => secrets)], statements);
}
