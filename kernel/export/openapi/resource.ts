/**
 * What the plugins of one resource say of it, put together: fields, files, what callers show, the result after every step, and
 * how it can be refused. Mirrors the order in which the compiler runs things; makes no OpenAPI yet.
 */
import type {
  ApiChange,
  ApiField,
  ApiFile,
  ApiPart,
  ApiRefusal,
  ApiResults,
  ApiSecurity,
  JsonSchema,
  Forms,
} from '../../contract/api.js';
import type { PluginSpec } from '../../contract/plugin.js';
import { ResourcePhase } from '../../contract/slot.js';
import type { PluginPlace } from '../../analysis/finds.js';
import { inside } from '../../analysis/link.js';
import type { ActionModel, ResourceModel } from '../../analysis/model.js';
import { runningOrder } from '../../analysis/order.js';
import { withRenamed } from '../../analysis/renamed.js';
import { ANY, nullable, schemaAt } from '../../schema/forms.js';
import { payloadNames } from './payload-names.js';
import { accessorParts, kernelRefusals, refusalsOf, textsOf } from './refusals.js';
import { askPlugin, type Around, type Scope } from './scope.js';

/** A scheme, and by what callers are judged with it. */
export interface Guarding extends ApiSecurity {
  readonly identity: string;
}

export interface Described {
  readonly fields: ReadonlyMap<string, ApiField>;
  readonly files: Readonly<Record<string, ApiFile>>;
  /** Null: an object of the fields, or a list of such. */
  readonly body: JsonSchema | null;
  readonly headers: NonNullable<ApiPart['headers']>;
  readonly security: readonly Guarding[];
  readonly forms: Forms;
  readonly answers: Readonly<Record<string, string>>;
  readonly refusals: readonly ApiRefusal[];
  readonly notes: readonly string[];
  /** The body is a list, and the fields are those of its items. */
  readonly list: boolean;
  readonly touches: readonly string[];
}

/** A place with what its plugin says. */
interface Told {
  readonly spec: PluginSpec;
  readonly part: ApiPart;
  readonly place: Pick<PluginPlace, 'value' | 'holder'>;
  /** False for what stands deeper inside, such as the type of a field. */
  readonly direct: boolean;
}

/** Null for a resource that nobody reaches. */
export function describeResource(scope: Scope, resource: ResourceModel): Described | null {
  const sequence = runningOrder(resource.actions, ({ depends }) =>
    depends.flatMap((key) => scope.actions.get(key) ?? []),
  );
  // Without any actionable something else of the resource does its work.
  if (sequence.length === 0 && resource.actions.length > 0) return null;
  const fields = new Map<string, ApiField>();
  const payload = payloadReader(fields, sequence);
  const ofActions = sequence.map((action) => tell(scope, { resource, action, payload }, action.places, action.node));
  const own = resource.definition.finds.places.filter(
    ({ node }) => !resource.actions.some((action) => inside(node, action.node)),
  );
  const ofResource = tell(scope, { resource, action: null, payload }, own, resource.definition.node);
  const all = [...ofActions.flat(), ...ofResource];
  for (const { part, direct } of all) if (direct) addFields(fields, part.fields ?? {});
  for (const [name, field] of payloadNames(scope, resource, sequence)) if (!fields.has(name)) fields.set(name, field);
  const read = accessorParts(
    scope,
    sequence.flatMap((action) => textsOf(action)),
  );
  const refusals = [
    ...sequence.flatMap((action, i) => [...refusalsOf(scope, ofActions[i] ?? []), ...kernelRefusals(scope, action)]),
    ...refusalsOf(scope, ofResource),
    ...kernelRefusals(scope, null, resource, sequence),
  ];
  return {
    fields,
    files: merged(all, ({ files }) => files),
    body: all.find(({ part }) => part.body !== undefined)?.part.body ?? null,
    headers: merged([...all, ...read], ({ headers }) => headers),
    security: all.flatMap((told) => (told.part.security ?? []).map((one) => guarding(scope, told, one))),
    forms: formsOf(scope, resource, sequence, ofActions, ofResource),
    answers: merged(all, ({ answers }) => answers),
    refusals,
    notes: all.flatMap(({ part }) => part.notes ?? []),
    list: sequence.some(({ repeat }) => repeat?.from === 'body' && repeat.name === null),
    touches: [...new Set(sequence.flatMap(({ models }) => models))],
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
    // A plugin that is chosen by key owns the object behind its key, and belongs to the one around it.
    const direct = place.node === holder || registry.kind(spec.kind)?.select.by === 'key';
    return [{ spec, part, place, direct }];
  });
}

function addFields(fields: Map<string, ApiField>, more: Readonly<Record<string, ApiField>>): void {
  for (const [name, field] of Object.entries(more)) {
    const known = fields.get(name);
    const same = known === undefined || JSON.stringify(known.schema) === JSON.stringify(field.schema);
    const schema = same ? field.schema : { allOf: [known.schema, field.schema] };
    fields.set(name, { schema, required: field.required || known?.required === true });
  }
}

/** What is hashed or encrypted on the way is no longer what was sent. */
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

function guarding({ registry }: Scope, { spec, place }: Told, security: ApiSecurity): Guarding {
  const facts = (kind: string, name: string) => registry.plugin(kind, name)?.facts;
  const identity = JSON.stringify([security.scheme, spec.guardOf?.({ ...place, facts }) ?? '']);
  return { ...security, identity };
}

function formsOf(
  scope: Scope,
  resource: ResourceModel,
  sequence: readonly ActionModel[],
  ofActions: readonly (readonly Told[])[],
  ofResource: readonly Told[],
): Forms {
  const results: Forms[] = [];
  const names = new Set([...resource.names, ...resource.generated]);
  const main = mainOf(resource, sequence);
  const lookup = (own: readonly ActionModel[], skip: number): ApiResults => ({
    others: results.filter((_, i) => i !== skip).reverse(),
    action: (id) => results[sequence.findIndex((one) => one.resource === resource.id && one.id === id)] ?? null,
    names,
    secrets: secretsOf(scope, own),
    main: sequence[main]?.value ?? null,
  });
  for (const [i, action] of sequence.entries()) {
    const changes = changesOf(ofActions[i] ?? []).filter(({ phase }) => phase < ResourcePhase.ADMIT);
    results[i] = applied(changes, [ANY], lookup([action], i));
  }
  const config = scope.chosen.map(({ spec, options }): Told => {
    const around = { slot: '', value: options, holder: options, resource: null, action: null, payload: () => null };
    return { spec, part: askPlugin(scope, spec, around), place: around, direct: true };
  });
  const changes = changesOf([...ofActions.flat(), ...ofResource, ...config]);
  const late = changes.filter(({ phase }) => phase >= ResourcePhase.ADMIT);
  return applied(late, results[main] ?? [{ type: 'null' }], lookup(sequence, main));
}

function mainOf(resource: ResourceModel, sequence: readonly ActionModel[]): number {
  const own = resource.actions.filter((action) => sequence.includes(action));
  const main = own.find((action) => action.main) ?? own.filter((action) => !action.noOp).at(-1);
  return main === undefined ? -1 : sequence.indexOf(main);
}

const changesOf = (told: readonly Told[]): ApiChange[] =>
  told
    .filter(({ direct }) => direct)
    .flatMap(({ part }) => part.changes ?? [])
    .sort((a, b) => a.phase - b.phase || (a.order ?? 0) - (b.order ?? 0));

const applied = (changes: readonly ApiChange[], from: Forms, results: ApiResults): Forms =>
  changes.reduce((forms, { change }) => change(forms, results), from);

/** Names that never leave unless they are listed, also under the names that statements give them. */
function secretsOf(scope: Scope, actions: readonly ActionModel[]): ReadonlySet<string> {
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
