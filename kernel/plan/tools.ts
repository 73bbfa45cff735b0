/** The services for a plugin that plans one place of a definition. */
import { createHash } from 'node:crypto';
import type { BlindIndexSource } from '../../contract/migration.js';
import { createUnresolvedFault } from '../../contract/fault.js';
import type { Accessor } from '../../contract/handles.js';
import { deepFreeze, type Json } from '../../contract/json.js';
import type { Kind } from '../../contract/kind.js';
import type { ModelColumn } from '../../contract/model.js';
import type {
  Execute,
  Frame,
  Outputs,
  ParameterPlan,
  PlanTools,
  ReadPlace,
  Reader,
  Repeat,
} from '../../contract/plan.js';
import type { PluginId } from '../../contract/plugin.js';
import { isSub0 } from '../../contract/profile.js';
import { Slot } from '../../contract/slot.js';
import { BootError } from '../../contract/boot-error.js';
import { createActionKey } from '../../language/analysis/read-resource.js';
import { buildConcealPattern } from '../../language/analysis/conceal-pattern.js';
import {
  findDeclaredField,
  type ActionModel,
  type RepeatModel,
  type ResourceModel,
} from '../../language/analysis/model.js';
import type { Registry } from '../../language/analysis/registry.js';
import { listSecretNames } from '../../language/analysis/action-secrets.js';
import { isWrittenPath, listOutputNames, listValueReads } from '../../language/analysis/value-reads.js';
import { unwrapLiteral } from '../../language/strings/literal.js';
import { listAccessors, readAccessorInputs } from '../../language/strings/accessor.js';
import { createClaimReader } from '../../language/strings/claim-reader.js';
import { compilePath, splitPath } from '../../language/strings/path.js';
import { resolveUidNamespace } from '../../language/analysis/uid-namespace.js';
import type { PartRunner, SlotInitializer } from '../../contract/part.js';
import type { PlanObserver } from '../../contract/resource-plan.js';
import type { SetLookups } from '../../language/analysis/set-lookups.js';
import { compileValue, toText, type CompileAccessor } from '../../language/strings/value-reader.js';

/** `resolve` checks what the calling plugin may use. */
export interface Handles {
  handle(id: PluginId): unknown;
  resolve<H>(asking: PluginId, kind: Kind<H>, name: string): H;
}

/** What all resources of a set are compiled from. */
export interface CompileInput extends SetLookups {
  readonly registry: Registry;
  readonly handles: Handles;
  readonly intercept: (mode: string, execute: Execute, action: { key: string; mode: string }) => Execute;
  readonly profile: string | null;
  /** The config enables features that are for tests only. */
  readonly testing: boolean;
  readonly uses: ReadonlySet<string>;
  readonly runner: () => PartRunner;
  /** Collects the plugins that own the used handles, and `dialect/main` for the connections of statements. */
  readonly plugins: Set<string>;
  /** Collects what plugins record. */
  readonly indexSources: BlindIndexSource[];
  /** Whether a plugin may read the results of this mode before the response; by default true. */
  readonly watched?: (mode: string) => boolean;
  readonly planObserver?: PlanObserver | null;
}

export interface ResourceScope extends CompileInput {
  /** The plan may contain actionables of other resources. */
  readonly resource: ResourceModel;
  readonly sequence: readonly ActionModel[];
  readonly lookupOrder: readonly number[];
  /** Required payload paths. */
  readonly needed: (readonly string[])[];
  readonly slots: {
    count: number;
    readonly byName: Map<string, number>;
    readonly memos: number[];
    readonly makers: SlotInitializer[];
  };
  /** Readers of required values. */
  readonly asked: { readonly action: ActionModel | null; readonly read: Reader }[];
  /** Values generated once per request. */
  readonly once: { readonly action: ActionModel | null; readonly slot: number; readonly read: Reader }[];
  /** Paths of results that later actionables read. */
  readonly taken: { readonly action: ActionModel | null; readonly index: number; readonly path: readonly string[] }[];
  /** Paths that features decrypt for the caller. */
  readonly revealed: string[];
  /** The inputs read so far. */
  readonly reads: { readonly action: ActionModel | null; readonly place: ReadPlace }[];
}

/** Equal in all processes. */
export const hashRealm = (realm: string): string =>
  createHash('sha256').update(realm).digest().subarray(0, 12).toString('base64url');

export function createTools(
  scope: ResourceScope,
  action: ActionModel | null,
  plugin: PluginId,
  absentIsNull = false,
  unnoted = false,
): PlanTools {
  const owner = action === null ? scope.resource : findOwner(scope, action);
  const columns = listColumns(scope, action);
  const place = action?.key ?? scope.resource.id;
  const findNameSlot = (name: string): number | null => {
    const { sort } = owner.sources.read(name, action?.key ?? null);
    return sort === 'payload' ? null : allocateNamedSlot(scope, `${owner.id}:${name}`);
  };
  // Validate-only plugins run on every request and never influence the response.
  const isValidation = unnoted || scope.registry.plugins.get(plugin)?.facts?.validates === true;
  const recordRead = (read: ReadPlace): void => void (isValidation || scope.reads.push({ action, place: read }));
  const recordNameRead = (field: string | null): void =>
    recordRead({ from: 'payload', field, slot: field === null ? null : findNameSlot(field) });
  const tools: PlanTools = {
    place,
    get version() {
      return scope.version();
    },
    // Direct reads see the payload as sent, even where a result provides the same name.
    recordPayloadRead: (field) => recordRead({ from: 'payload', field, slot: null }),
    reads: () => scope.reads.filter((read) => action === null || read.action === action).map((read) => read.place),
    root: scope.resource.value,
    owner: owner.value,
    used: (plugin) => scope.uses.has(plugin),
    testing: scope.testing,
    parallel: action?.parallel === true,
    isolation: action === null ? null : (scope.isolations.get(scope.resource.id)?.get(action.key) ?? null),
    repeat: action?.repeat ? planRepeat(action.repeat) : null,
    value: (json) => compileValue(json, createAccessorCompiler()).read,
    text: (json) => {
      const { read } = compileValue(json, createAccessorCompiler());
      return (frame) => toText(read(frame), place);
    },
    valueSlot: (json) => (typeof json === 'string' ? readAccessorInputs(json, getReads, findNameSlot).slot : null),
    parameter: (json, pointer) => planParameter(json, pointer),
    slot: findNameSlot,
    payloadField: (name, ...inside) => findDeclaredField(owner.payloadFields, name, inside),
    isWritten: (path) => isWrittenPath(listValueReads(owner, scope.registry), action?.key, path),
    recordRequiredPath: (path) => void scope.needed.push(path),
    resolveUidNamespace: (guarded) => resolveUidNamespace(scope, owner, action, guarded, hashRealm),
    allocateSlot: () => {
      const slot = scope.slots.count++;
      scope.slots.memos.push(slot);
      return slot;
    },
    assignGenerated: (name, make) => {
      const slot = owner.names.has(name) ? null : findNameSlot(name);
      if (slot === null) return null;
      const memo = tools.allocateSlot();
      scope.slots.makers.push({ slot, memo, make, action: action?.key ?? null });
      return ({ slots }) => void (slots[slot] = slots[memo] ??= make());
    },
    outputs: () => collectOutputs(),
    claim: readClaim,
    absentIsNull,
    action: (resource, id) => {
      const key = createActionKey(resource === 'self' ? owner.id : resource, id);
      const index = scope.sequence.findIndex((candidate) => candidate.key === key);
      return index === -1 ? null : index;
    },
    recordResultRead: (index, path) => void scope.taken.push({ action, index, path }),
    lookupOrder: scope.lookupOrder,
    main: scope.sequence[scope.lookupOrder[0] ?? -1]?.value ?? null,
    columns,
    tables: listModels(scope, action).flatMap((model) => scope.tables.get(model) ?? []),
    connection: ({ kind, config }) => {
      const instance = action?.stores.find((store) => store.kind === kind)?.instance ?? config?.must ?? 'main';
      scope.plugins.add(`${kind}/${instance}`);
      return instance;
    },
    // Getters, because few plugins need these expensive values.
    get secrets() {
      return listSecretNames(scope.tables, action === null ? scope.sequence : [action]);
    },
    get allSecrets() {
      return listSecretNames(scope.tables, scope.sequence);
    },
    recordIndexSource: (source) => void scope.indexSources.push(source),
    get indexes() {
      return scope.hasBlindColumns();
    },
    get conceals() {
      return buildConcealPattern(scope);
    },
    revealed: scope.revealed,
    chosen: ({ kind }) => {
      const places = action?.places ?? scope.resource.places;
      const prefix = `${kind}:`;
      return places.flatMap(({ plugin: id }) => (id.startsWith(prefix) ? id.slice(prefix.length) : []));
    },
    resolve: (kind, name) => scope.handles.resolve(plugin, kind, name),
  };

  /** The names that later actionables read from the only item of this list. */
  function collectOutputs(): Outputs | null {
    if (action === null) return null;
    const reads = listValueReads(owner, scope.registry);
    const running = new Set(scope.sequence.map(({ key }) => key));
    const names = listOutputNames(reads, action.key, running);
    if (names.length === 0) return null;
    const slots = names.map((name) => [name, allocateNamedSlot(scope, `${owner.id}:${name}`)] as const);
    const assignNames = (frame: Frame, item: Readonly<Record<string, unknown>>): void => {
      for (const [name, slot] of slots) frame.slots[slot] = item[name];
    };
    return { names: slots.map(([name]) => name), assignItem: assignNames };
  }

  function findAccessorId(root: string): PluginId {
    const kind = scope.registry.listKinds(Slot.ACCESSOR)[0];
    if (kind === undefined) throw new BootError('PLG_UNKNOWN_SLOT', { name: `$${root}`, slot: Slot.ACCESSOR });
    return `${kind.kind}:${root}`;
  }

  const getReads = (root: string): unknown => scope.registry.plugins.get(findAccessorId(root))?.facts?.reads;

  function createAccessorCompiler(lenient = false): CompileAccessor {
    return ({ root, tail }) => {
      const id = findAccessorId(root);
      const handle = scope.handles.handle(id) as Accessor;
      const compiled = handle.compile(tail, createTools(scope, action, id, lenient, isValidation));
      // `readClaim` records claims. Constant or generated values are not inputs.
      const reads = getReads(root);
      if (reads === 'payload') {
        recordNameRead(tail[0] ?? null);
        // Values of list items or of earlier results exist only when the work runs.
        const isSent = (action?.repeat ?? null) === null && (tail[0] === undefined || findNameSlot(tail[0]) === null);
        if (isSent && !isValidation) scope.asked.push({ action, read: compiled.read });
      } else if ((reads === undefined || reads === 'headers') && !compiled.constant) {
        const { read, header, remote } = compiled;
        recordRead({ from: 'elsewhere', read, ...(header !== undefined && { header }), ...(remote && { remote }) });
      }
      if (compiled.once !== undefined) scope.once.push({ action, slot: compiled.once, read: compiled.read });
      return compiled;
    };
  }

  function readClaim(path: readonly string[]): Reader {
    recordRead({ from: 'claims', path });
    return createClaimReader(path);
  }

  function planParameter(json: Json, pointer: string): ParameterPlan {
    if (typeof json === 'string' && listAccessors(json).length > 0) {
      const { read, field } = compileValue(json, createAccessorCompiler(isSub0(scope.profile)));
      const { isInput, slot } = readAccessorInputs(json, getReads, findNameSlot);
      return { source: 'accessor', label: json, field: field ?? null, slot, isInput, read };
    }
    const decision = action?.parameters.get(pointer);
    const base = { field: null, slot: null, isInput: typeof json !== 'object' };
    if (decision?.verbatim === true) {
      const literal = deepFreeze(unwrapLiteral(json));
      return { ...base, source: 'literal', label: JSON.stringify(literal), literal, read: () => literal };
    }
    if (typeof json !== 'string' || decision?.source !== 'name')
      return { ...base, source: 'literal', label: JSON.stringify(json), literal: json, read: tools.value(json) };
    if (decision.from === 'claim') return { ...base, source: 'name', label: json, read: readClaim(splitPath(json)) };
    const isMade = decision.from === 'generated' || decision.from === 'output';
    const [root = json, ...rest] = splitPath(json);
    const slot = findNameSlot(root);
    return {
      source: 'name',
      label: json,
      field: isMade ? null : root,
      read: createNameReader(json),
      slot: rest.length === 0 ? slot : null,
      isInput: slot === null,
    };
  }

  function planRepeat({ from, body, name, action: key }: RepeatModel): Repeat {
    const index = scope.sequence.findIndex((candidate) => candidate.key === key);
    const root = name?.split('.')[0] ?? '';
    // Forks of items copy the payload, so names can refer to fields next to the list.
    if (from === 'result') recordRead({ from: 'result', index });
    if (body) recordNameRead(null);
    return {
      body,
      name,
      read:
        from === 'result' ? ({ results }) => results[index] : name === null ? () => undefined : createNameReader(name),
      pointer: from === 'payload' ? `/${(name ?? '').split('.').join('/')}` : null,
      optional: from === 'payload' && owner.payloadFields.get(root)?.optional === true,
    };
  }

  /**
   * Missing names are null, because rules and tables enforce required values. A missing path inside a result ends the request,
   * unless it is optional.
   */
  function createNameReader(path: string): Reader {
    const [root = path, ...rest] = splitPath(path);
    const slot = findNameSlot(root);
    recordNameRead(root);
    if (slot === null) {
      const read = compilePath([root, ...rest]);
      return (frame: Frame) => read(frame.payload) ?? null;
    }
    if (rest.length === 0) return (frame: Frame) => frame.slots[slot] ?? null;
    const read = compilePath(rest);
    const isOptional = isSub0(scope.profile) || findDeclaredField(owner.payloadFields, root, rest)?.optional === true;
    return (frame: Frame) => {
      const value = read(frame.slots[slot]);
      if (value === undefined && !isOptional) throw createUnresolvedFault(path, [root, ...rest]);
      return value ?? null;
    };
  }

  return tools;
}

const findOwner = ({ resources, resource }: ResourceScope, action: ActionModel): ResourceModel =>
  resources.get(action.resource) ?? resource;

function allocateNamedSlot(scope: ResourceScope, key: string): number {
  const known = scope.slots.byName.get(key);
  if (known !== undefined) return known;
  const slot = scope.slots.count++;
  scope.slots.byName.set(key, slot);
  return slot;
}

const listModels = (scope: ResourceScope, action: ActionModel | null): readonly string[] =>
  action === null ? [...new Set(scope.sequence.flatMap(({ models }) => models))] : action.models;

const listColumns = (scope: ResourceScope, action: ActionModel | null): ModelColumn[] =>
  listModels(scope, action).flatMap((model) => scope.tables.get(model)?.columns ?? []);
