/** What a stopped request shows: scopes, expressions, rows of its transaction, and the payload. */
import { ensureFault } from '../../contract/fault.js';
import type { Json } from '../../contract/json.js';
import type { Frame, Payload, Preview } from '../../contract/plan.js';
import { RawJson } from '../../contract/raw-json.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { ExpressionError, readInside, type ReadPath } from './expression.js';
import type { PlanFacts, ReachedPlace } from './observer.js';
import type { Place } from './places.js';

export interface ScopeContent {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Values of the payload can be set. */
  readonly isPayload: boolean;
  /** What reads a member: `$PAYLOAD`. Null where no expression does. */
  readonly root: string | null;
}

/** The root of results, by the id of the actionable. Only the debugger has it. */
const RESULT = 'RESULT';

export const findOwner = ({ resource, action }: Place): string =>
  action === null ? resource : action.slice(0, action.lastIndexOf('#'));

export function createScopeReader(facts: PlanFacts, { project: { registry } }: Pick<Kernel, 'project'>) {
  /** What an accessor reads, by its root. */
  const roots = new Map(
    [...registry.names('accessor')].map((name) => [name, registry.plugin('accessor', name)?.facts?.reads] as const),
  );
  const findRoot = (reads: string): string | null => {
    const [name] = [...roots].find(([, read]) => read === reads) ?? [];
    return name === undefined ? null : `$${name}`;
  };

  const getSlots = (resource: string): ReadonlyMap<string, number> => facts.names.get(resource) ?? new Map();

  /** Values that actionables name or generate. */
  function listNames({ slots }: Frame, { resource }: Place): Record<string, unknown> {
    const named = [...getSlots(resource)].flatMap(([key, slot]) =>
      slots[slot] === undefined
        ? []
        : [[key.startsWith(`${resource}:`) ? key.slice(resource.length + 1) : key, slots[slot]]],
    );
    return Object.fromEntries(named) as Record<string, unknown>;
  }

  function listResults({ results }: Frame, { resource }: Place): Record<string, unknown> {
    const found = [...(facts.results.get(resource) ?? [])].flatMap(([key, index]) => {
      const name = key.startsWith(`${resource}#`) ? key.slice(resource.length + 1) : key;
      return results[index] === undefined ? [] : [[name, toPlainValue(results[index])]];
    });
    return Object.fromEntries(found) as Record<string, unknown>;
  }

  /** What the work of the actionable sends, or why that is not known. */
  function previewWork({ action, frame, place }: ReachedPlace): Readonly<Record<string, unknown>> | null {
    if (action === null || !action.preview) return null;
    const isolation: Preview = facts.isolations.get(`${place.resource}\n${action.key}`) ?? {};
    try {
      return { ...action.preview(frame), ...isolation };
    } catch (error) {
      const { code, params } = ensureFault(error);
      return { missing: `${code} ${Object.values(params).join(' ')}`.trim(), ...isolation };
    }
  }

  return {
    /** `isTop`: the place itself, not a resource or actionable that waits for it. */
    listScopes(reached: ReachedPlace, place: Place, isTop: boolean): readonly ScopeContent[] {
      const { frame, state } = reached;
      const { invocation } = frame;
      const work = isTop ? previewWork(reached) : null;
      const add = (name: string, value: object, root: string | null = null, isPayload = false): ScopeContent => ({
        name,
        root,
        isPayload,
        value: value as ScopeContent['value'],
      });
      return [
        add('Payload', frame.payload, findRoot('payload'), true),
        add('Claims', frame.claims ?? {}, findRoot('claims')),
        add('Headers', { ...invocation.headers, ip: invocation.remote }, findRoot('headers')),
        add('Names', listNames(frame, place)),
        add('Results', listResults(frame, place), `$${RESULT}`),
        ...(work === null ? [] : [add('url' in work ? 'Call' : 'Statement', work)]),
        ...(isTop && state.result !== undefined ? [add('Result', { result: toPlainValue(state.result) })] : []),
      ];
    },

    /** Throws an ExpressionError for what is not shown. */
    createPathReader(frame: Frame, place: Place): ReadPath {
      const readName = (path: readonly string[]): unknown => {
        const [first = '', ...rest] = path;
        const slot = getSlots(place.resource).get(`${findOwner(place)}:${first}`);
        const named = slot === undefined ? undefined : frame.slots[slot];
        return named === undefined ? readInside(frame.payload, path) : readInside(named, rest);
      };
      return (path, root) => {
        const reads = root === null ? 'payload' : roots.get(root);
        if (reads === 'payload') return path.length === 0 ? frame.payload : readName(path);
        if (reads === 'claims') return readInside(frame.claims ?? {}, path);
        if (reads === 'headers') return readHeader(frame, path.join('.'));
        if (root === RESULT) return readInside(listResults(frame, place), path);
        throw new ExpressionError(
          `\`$${root}\` cannot be read here: payload, claims, headers, names and \`$${RESULT}\` can`,
        );
      };
    },
  };
}

export type ScopeReader = ReturnType<typeof createScopeReader>;

const readHeader = ({ invocation }: Frame, name: string): unknown => {
  if (name === '') return invocation.headers;
  return name.toLowerCase() === 'ip' ? invocation.remote : invocation.header(name.toLowerCase())[0];
};

/** A result that is text from a store is shown as its value. */
export const toPlainValue = (value: unknown): unknown => (value instanceof RawJson ? value.toJSON() : value);

/** Throws an ExpressionError where the payload has no such value. */
export function changePayload(frame: Frame, path: readonly string[], value: Json): void {
  const { payload, received } = frame;
  if (readInside(payload, path) === undefined) throw new ExpressionError('the payload has no such value');
  // Steps that compare with what was sent read it from there.
  const isSame = readInside(received, path) === readInside(payload, path);
  frame.payload = replaceInside(payload, path, value) as Payload;
  if (isSame) frame.received = replaceInside(received, path, value) as Payload;
}

function replaceInside(whole: unknown, [first, ...rest]: readonly string[], value: Json): unknown {
  if (first === undefined) return value;
  const inner = replaceInside((whole as Readonly<Record<string, unknown>>)[first], rest, value);
  if (Array.isArray(whole))
    return (whole as readonly unknown[]).map((item, at) => (String(at) === first ? inner : item));
  const copy = Object.assign(Object.create(Object.getPrototypeOf(whole) as object | null), whole) as Record<
    string,
    unknown
  >;
  copy[first] = inner;
  return copy;
}

/** Text, if it is no JSON and replaces text. */
export function parseNewValue(text: string, now: unknown): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    if (typeof now === 'string') return text;
    throw new ExpressionError('a value is written as JSON: `12`, `"text"`, `true`, `null`, `[1, 2]`');
  }
}
