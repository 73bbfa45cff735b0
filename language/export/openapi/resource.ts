/** Combines what the plugins of a resource describe, in execution order. */
import type {
  ApiChange,
  ApiField,
  ApiFile,
  ApiPart,
  ApiError,
  ApiResults,
  Forms,
  JsonSchema,
} from '../../../contract/api.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import { ResourcePhase, Slot } from '../../../contract/slot.js';
import type { PluginUsage } from '../../analysis/facts.js';
import { partitionActions, createImmediateTest, findMainAction } from '../../analysis/foreground.js';
import { isInside } from '../../analysis/report.js';
import type { ActionModel, ResourceModel } from '../../analysis/model.js';
import { addRenamed } from '../../analysis/renamed-columns.js';
import { ANY, splitForms as formsIn, toNullable, findSchema } from '../../../contract/forms.js';
import { listPayloadFields } from './payload-names.js';
import { describeAccessors, listKernelErrors, collectErrors } from './errors.js';
import { describePlugin, type DescribedUse, type Scope } from './scope.js';
import { listAlternatives, type GuardScheme } from './security.js';
import { listTexts } from './accessor-texts.js';

export interface ResourceDescription {
  readonly fields: ReadonlyMap<string, ApiField>;
  readonly files: Readonly<Record<string, ApiFile>>;
  /** Null for an object of fields. */
  readonly body: JsonSchema | null;
  readonly headers: NonNullable<ApiPart['headers']>;
  /** Alternatives, each a list of required credentials. */
  readonly security: readonly (readonly GuardScheme[])[];
  readonly forms: Forms;
  /** Without what the config adds (an envelope): the result as connected clients receive it. */
  readonly bare: Forms;
  /** Adds it. */
  readonly wrap: (bare: Forms) => Forms;
  readonly answers: Readonly<Record<string, string>>;
  readonly rejections: readonly ApiError[];
  readonly notes: readonly string[];
  /** The fields are those of its items. */
  readonly list: boolean;
  readonly touches: readonly string[];
  /** The response only confirms that the work was accepted. */
  readonly accepted: boolean;
  /** WebSocket clients cannot call the resource. */
  readonly requestOnly: boolean;
  /** Only WebSocket clients can call the resource. */
  readonly connectedOnly: boolean;
  /** Changes nothing: clients may send the request again. */
  readonly repeatable: boolean;
}

interface UsageDescription {
  readonly spec: PluginSpec;
  readonly part: ApiPart;
  readonly place: Pick<PluginUsage, 'slot' | 'value' | 'holder'>;
  /** False for nested values, such as the type of a field. */
  readonly direct: boolean;
}

interface PlacedDescription extends UsageDescription {
  readonly place: PluginUsage;
}

/** Null if no request can reach the resource. */
export function describeResource(scope: Scope, resource: ResourceModel): ResourceDescription | null {
  const division = partitionActions(
    resource.actions,
    ({ depends }) => depends.flatMap((key) => scope.actions.get(key) ?? []),
    createImmediateTest(scope.registry),
  );
  const { now, parts } = division;
  const main = findMainAction(resource.actions, division);
  const later = parts.filter(({ scheduled }) => !scheduled).flatMap(({ actions }) => actions);
  // Scheduled work is not part of a request.
  const sequence = [...new Set([...now, ...later])];
  const isWhole = main === null && later.length > 0;
  const fields = new Map<string, ApiField>();
  const payload = createPayloadReader(fields, sequence);
  const ofActions = sequence.map((action) =>
    describePlaces(scope, { resource, action, payload }, action.places, action.node),
  );
  const own = resource.definition.finds.places.filter(
    ({ node }) => !resource.actions.some((action) => isInside(node, action.node)),
  );
  const ofResource = describePlaces(scope, { resource, action: null, payload }, own, resource.definition.node);
  const all = [...ofActions.flat(), ...ofResource];
  const reached = listReachedResources(scope, resource, sequence);
  const ofReached = reached.flatMap((other) => describeInherited(scope, other, payload));
  if (sequence.length === 0 && !all.some(({ part }) => part.instead !== undefined)) return null;
  for (const { part, direct } of all) if (direct) addFields(fields, part.fields ?? {});
  for (const [name, field] of listPayloadFields(scope, resource, sequence))
    if (!fields.has(name)) fields.set(name, field);
  const read = describeAccessors(scope, [
    ...sequence.flatMap((action) => listTexts(action)),
    ...listTexts(null, resource, resource.actions),
  ]);
  const rejections = [
    ...sequence.flatMap((action, i) => {
      const described = ofActions[i] ?? [];
      return [
        ...collectErrors(scope, now.includes(action) ? described : described.filter(isCheckedAtAccept)),
        ...listKernelErrors(scope, action),
      ];
    }),
    ...collectErrors(scope, [...ofResource, ...ofReached]),
    ...(ofReached.length > 0 ? reached.flatMap((other) => listKernelErrors(scope, null, other, other.actions)) : []),
    ...listKernelErrors(scope, null, resource, resource.actions),
  ];
  const files = mergeFiles(all);
  const bare = isWhole ? [ACCEPTED] : deriveForms(scope, resource, main, now, ofActions, ofResource);
  const ofConfig = listChanges(describeConfigPlugins(scope));
  const wrap = (forms: Forms): Forms => applyChanges(ofConfig, forms, NO_RESULTS);
  return {
    fields,
    files,
    body: all.map(({ part }) => part.body ?? null).find((body) => body !== null) ?? null,
    headers: mergeRecords([...all, ...read], ({ headers }) => headers),
    security: listAlternatives(scope.registry, all),
    forms: wrap(bare),
    bare,
    wrap,
    answers: mergeRecords([...ofReached, ...all], ({ answers }) => answers),
    rejections,
    notes: all.flatMap(({ part }) => part.notes ?? []),
    list: sequence.some(({ repeat }) => repeat?.from === 'body' && repeat.name === null),
    touches: [...new Set(sequence.flatMap(({ models }) => models))],
    accepted: isWhole,
    requestOnly: Object.keys(files).length > 0 || all.some(({ part }) => part.requestOnly === true),
    connectedOnly: all.some(({ part }) => part.connectedOnly === true),
    repeatable: sequence.length > 0 && all.every(({ part, direct }) => !direct || part.repeatable === true),
  };
}

export function describePlaces(
  scope: Scope,
  around: Pick<DescribedUse, 'resource' | 'action' | 'payload'>,
  places: readonly PluginUsage[],
  holder: object,
): PlacedDescription[] {
  const { registry } = scope;
  return places.flatMap((place) => {
    const spec = registry.plugins.get(place.plugin);
    if (spec === undefined) return [];
    const { slot, value } = place;
    const { resource, action, payload } = around;
    const part = describePlugin(scope, spec, { resource, action, payload, slot, value, holder: place.holder });
    // A plugin selected by key applies to the object with the key.
    const direct = place.node === holder || registry.kind(spec.kind)?.select.by === 'key';
    return [{ spec, part, place, direct }];
  });
}

/** Resources with actionables that a request runs. */
function listReachedResources(
  scope: Scope,
  resource: ResourceModel,
  sequence: readonly ActionModel[],
): ResourceModel[] {
  const ids = new Set(sequence.map((action) => action.resource));
  return [...ids].flatMap((id) => (id === resource.id ? [] : (scope.resources.get(id) ?? [])));
}

/** Plugins that apply however the resource is reached (fact `holds`). */
function describeInherited(
  scope: Scope,
  resource: ResourceModel,
  payload: DescribedUse['payload'],
): UsageDescription[] {
  const { node } = resource.definition;
  const places = resource.places.filter(
    ({ plugin, node: at }) => at === node && scope.registry.plugins.get(plugin)?.facts?.holds !== undefined,
  );
  return describePlaces(scope, { resource, action: null, payload }, places, node);
}

function addFields(fields: Map<string, ApiField>, more: Readonly<Record<string, ApiField>>): void {
  for (const [name, field] of Object.entries(more)) {
    const known = fields.get(name);
    const same = known === undefined || JSON.stringify(known.schema) === JSON.stringify(field.schema);
    const schema = same ? field.schema : { allOf: [known.schema, field.schema] };
    fields.set(name, { schema, required: field.required || known?.required === true });
  }
}

/** Hashed or encrypted values have an unknown type. */
export function createPayloadReader(
  fields: ReadonlyMap<string, ApiField>,
  sequence: readonly ActionModel[],
): DescribedUse['payload'] {
  const changed = new Set(sequence.flatMap(({ secrets }) => secrets));
  return (path) => {
    const [root, ...rest] = path;
    const field = root === undefined ? undefined : fields.get(root);
    if (field === undefined || changed.has(root ?? '')) return null;
    const found = findSchema(field.schema, rest) ?? ANY;
    return field.required && rest.length === 0 ? found : toNullable(found);
  };
}

function mergeRecords<V>(
  all: readonly Pick<UsageDescription, 'part'>[],
  read: (part: ApiPart) => Readonly<Record<string, V>> | undefined,
): Readonly<Record<string, V>> {
  return Object.fromEntries(all.flatMap(({ part }) => Object.entries(read(part) ?? {})));
}

function mergeFiles(all: readonly Pick<UsageDescription, 'part'>[]): Readonly<Record<string, ApiFile>> {
  const found = new Map<string, ApiFile>();
  for (const [name, file] of all.flatMap(({ part }) => Object.entries(part.files ?? {}))) {
    const known = found.get(name);
    found.set(name, known === undefined ? file : narrowFile(known, file));
  }
  return Object.fromEntries(found);
}

function deriveForms(
  scope: Scope,
  resource: ResourceModel,
  mainAction: ActionModel | null,
  sequence: readonly ActionModel[],
  ofActions: readonly (readonly UsageDescription[])[],
  ofResource: readonly UsageDescription[],
): Forms {
  const results: Forms[] = [];
  const names = new Set([...resource.names, ...resource.generated]);
  const main = mainAction === null ? -1 : sequence.indexOf(mainAction);
  const lookup = (own: readonly ActionModel[], skip: number): ApiResults => ({
    others: results.filter((_, i) => i !== skip).reverse(),
    action: (id) => results[sequence.findIndex((one) => one.resource === resource.id && one.id === id)] ?? null,
    names,
    secrets: collectSecretNames(scope, own),
    main: sequence[main]?.value ?? null,
  });
  let mayEnd = false;
  for (const [i, action] of sequence.entries()) {
    mayEnd ||= (ofActions[i] ?? []).some(({ part }) => part.ends === true);
    const changes = listChanges(ofActions[i] ?? []).filter(({ phase }) => phase < ResourcePhase.ADMIT);
    const forms = applyChanges(changes, [ANY], lookup([action], i));
    results[i] = mayEnd ? [...forms, NOTHING] : forms;
  }
  const changes = listChanges([...ofActions.slice(0, sequence.length).flat(), ...ofResource]);
  const late = changes.filter(({ phase }) => phase >= ResourcePhase.ADMIT);
  const instead = ofResource.map(({ part }) => part.instead).find((schema) => schema !== undefined) ?? NOTHING;
  return applyChanges(late, results[main] ?? formsIn(instead), lookup(sequence, main));
}

const describeConfigPlugins = (scope: Scope): UsageDescription[] =>
  scope.chosen.map(({ spec, options }): UsageDescription => {
    const around = { slot: '', value: options, holder: options, resource: null, action: null, payload: () => null };
    return { spec, part: describePlugin(scope, spec, around), place: around, direct: true };
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

/** True for plugins that run before work is accepted. Errors of deferred work never reach the caller. */
const isCheckedAtAccept = ({ place }: UsageDescription): boolean => !place.slot.startsWith(`${Slot.ACTIONABLE}.`);

export const listChanges = (described: readonly UsageDescription[]): ApiChange[] =>
  described
    .filter(({ direct }) => direct)
    .flatMap(({ part }) => part.changes ?? [])
    .sort((a, b) => a.phase - b.phase || (a.order ?? 0) - (b.order ?? 0));

export const applyChanges = (changes: readonly ApiChange[], from: Forms, results: ApiResults): Forms =>
  changes.reduce((forms, { change }) => change(forms, results), from);

/** Names omitted from responses unless listed, including their aliases in statements. */
export function collectSecretNames(scope: Scope, actions: readonly ActionModel[]): ReadonlySet<string> {
  const models = actions.flatMap(({ models, behind }) =>
    [...models, ...behind.models].flatMap((name) => scope.models.get(name) ?? []),
  );
  const marked = models.flatMap(({ fields, secrets }) => [
    ...fields.filter(({ value }) => value['secret'] === true).map(({ name }) => name),
    ...secrets,
  ]);
  const statements = actions.flatMap(({ definition, node }) =>
    definition.finds.statements.filter((statement) => isInside(statement.node, node)),
  );
  const columns = new Set(models.flatMap(({ fields }) => fields.map(({ name }) => name.toLowerCase())));
  return addRenamed(
    [...marked, ...actions.flatMap(({ secrets }) => secrets)],
    statements,
    columns,
    actions.flatMap(({ behind }) => behind.objects),
  );
}

/** Each consumer of a file validates it. */
function narrowFile(one: ApiFile, other: ApiFile): ApiFile {
  const getLeast = (a: number | undefined, b: number | undefined): number | undefined =>
    a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
  const bytes = getLeast(one.bytes, other.bytes);
  const types = one.types === undefined || other.types === undefined ? (one.types ?? other.types) : one.types;
  return {
    doc: one.doc,
    most: Math.min(one.most ?? 1, other.most ?? 1),
    ...(bytes !== undefined && { bytes }),
    ...(types !== undefined && { types }),
  };
}
