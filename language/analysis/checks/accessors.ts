/** Checks accessors inside strings, and environment variables. */
import type { EnvFact, VariableFacts } from '../../../contract/plugin.js';
import { POISON_KEYS } from '../../../contract/json.js';
import type { AccessorPart } from '../../strings/accessor.js';
import { hasOverlap, splitPath } from '../../strings/path.js';
import { locateInString } from '../../source/escapes.js';
import { findNearest } from '../../source/suggest.js';
import { Slot } from '../../../contract/slot.js';
import type { Definition } from '../model.js';
import { findInventedName } from '../made-up-names.js';
import { reportUnknownPlugin } from '../validate-node.js';
import type { Registry } from '../registry.js';
import type { Lookups, StageInput } from '../stage-cache.js';
import { formatHint, type Report, type SourceLocation } from '../report.js';
import type { AccessorText } from '../facts.js';
import { listKnownAccessors, suggestAccessor } from './accessor-suggestions.js';

/** Never includes the values of the variables. */
export type EnvFacts = ReadonlyMap<string, EnvFact>;

export interface EnvLookup extends Pick<EnvFacts, 'has'> {
  get(name: string): VariableFacts | null;
  keys(): Iterable<string>;
}

/** A definition depends on what it reads of the variables that it names. */
export function recordEnv<S extends object>(
  { readAnswer }: Lookups<S>,
  find: (source: S) => EnvFacts | null,
): EnvLookup {
  const readFact = <A extends StageInput>(name: string, what: string, read: (fact: EnvFact) => A): A =>
    readAnswer(`${what} of variable ${name}`, (from) => read(find(from)?.get(name) ?? NO_FACT));
  const has = (name: string): boolean => readAnswer(`has variable ${name}`, (from) => find(from)?.has(name) === true);
  return {
    get: (name) =>
      has(name)
        ? {
            get length() {
              return readFact(name, 'length', ({ length }) => length);
            },
            get bytes() {
              return readFact(name, 'bytes', ({ bytes }) => bytes);
            },
            get blank() {
              return readFact(name, 'blank', ({ blank }) => blank);
            },
            hasBytes: (least) => readFact(name, `${least} bytes`, ({ bytes }) => bytes >= least),
          }
        : null,
    has,
    keys: () => readAnswer('variables', (from) => [...(find(from)?.keys() ?? [])]),
  };
}

/** Of a variable that is no longer set. */
const NO_FACT: EnvFact = { length: 0, bytes: 0, blank: true };

export const readEnv = (env: EnvFacts): EnvLookup =>
  recordEnv<EnvFacts>({ readAnswer: (_key, read) => read(env) }, (from) => from);

export interface AccessorContext {
  readonly registry: Registry;
  readonly report: Report;
  /** Null if the environment is unknown; variables are then not checked. */
  readonly env: EnvLookup | null;
}

/** Also records the plugins that accessors use. */
export function checkAccessors(context: AccessorContext, definition: Pick<Definition, 'doc' | 'finds'>): void {
  for (const found of definition.finds.accessors) {
    for (const part of found.parts) checkPart(context, definition, found, part);
    checkAccessorEnds(context, definition, found);
  }
  for (const { key, keyStart, keyEnd } of definition.finds.accessorKeys)
    context.report.add('ACC_KEY', { doc: definition.doc, start: keyStart, end: keyEnd }, { name: key });
}

/** A trailing `-` or `_` is part of the name, and `[0]` is no index. */
function checkAccessorEnds(
  { registry, report }: AccessorContext,
  { doc, finds }: Pick<Definition, 'doc' | 'finds'>,
  { node, parts }: AccessorText,
): void {
  const text = String(node.scalar);
  const getReadFact = (root: string) =>
    registry.plugin(registry.listKinds(Slot.ACCESSOR)[0]?.kind ?? '', root)?.facts?.reads;
  const isDeclared = (name: string): boolean =>
    finds.declarations.some((one) => one.symbol !== 'action' && one.name === name);
  for (const { root, tail, start, end } of parts) {
    const last = tail.at(-1);
    if (last === undefined || !OF_REQUEST.includes(getReadFact(root))) continue;
    const accessor = [`$${root}`, ...tail].join('.');
    const sign = /[-_]+$/.exec(last)?.[0];
    if (sign !== undefined && !POISON_KEYS.has(last) && !isDeclared(last)) {
      const rest = accessor.slice(0, -sign.length);
      const right = text.length === end ? rest : `${rest}:`;
      const fix = { title: `change to "${right}"`, text: right, asks: true as const };
      report.add('ACC_SIGN', locateInString(doc, node, { start, end }), { accessor, name: last, right }, { fix });
    }
    const index = /^(?:\[\d+\])+(?:\.[A-Za-z0-9_-]+|\[\d+\])*/.exec(text.slice(end))?.[0];
    if (index === undefined) continue;
    const right = accessor + index.replace(/\[(\d+)\]/g, '.$1');
    const spot = locateInString(doc, node, { start, end: end + index.length });
    report.add(
      'ACC_INDEX',
      spot,
      { accessor, rest: index, right },
      { fix: { title: `change to ${right}`, text: right } },
    );
  }
}

const OF_REQUEST: readonly unknown[] = ['payload', 'claims', 'headers'];

function checkPart(
  context: AccessorContext,
  { doc, finds }: Pick<Definition, 'doc' | 'finds'>,
  found: AccessorText,
  part: AccessorPart,
): void {
  const { registry, report } = context;
  const spot = locateInString(doc, found.node, part);
  const kind = registry.listKinds(Slot.ACCESSOR)[0];
  const spec = kind && registry.plugin(kind.kind, part.root);
  if (kind === undefined || spec === undefined) {
    reportUnknownRoot(context, spot, part);
    return;
  }
  finds.uses.add(`${kind.kind}:${spec.name}`);
  if (found.roots !== undefined && !found.roots.includes(part.root)) {
    const expected = found.roots.map((root) => `$${root}`).join(', ') || 'none';
    report.add('ACC_NOT_HERE', spot, { root: part.root, place: found.place, expected });
    return;
  }
  if (found.leaves && spec.facts?.secret === true) {
    const open = registry.names(kind.kind).filter((name) => registry.plugin(kind.kind, name)?.facts?.secret !== true);
    const expected = open.map((root) => `$${root}`).join(', ');
    report.add('ACC_NOT_HERE', spot, { root: part.root, place: found.place, expected });
    return;
  }
  const poison = part.tail.find((segment) => POISON_KEYS.has(segment));
  if (poison !== undefined) {
    report.add('ACC_POISON', spot, { segment: poison });
    return;
  }
  checkTail(context, finds, spot, part, found, spec.facts?.tail ?? 'none');
}

function reportUnknownRoot({ registry, report }: AccessorContext, spot: SourceLocation, part: AccessorPart): void {
  const accessor = [`$${part.root}`, ...part.tail].join('.');
  const right = suggestAccessor(registry, part);
  if (right !== undefined) {
    const fix = right.whole ? { fix: { title: `change to ${right.text}`, text: right.text } } : {};
    report.add('ACC_INVENTED', spot, { accessor, right: `write "${right.text}"` }, fix);
    return;
  }
  const invented = findInventedName(registry, accessor.slice(1));
  if (invented !== null) {
    report.add('ACC_INVENTED', spot, { accessor, right: invented.say });
    return;
  }
  const near = findNearest(
    part.root,
    listKnownAccessors(registry).map(({ name }) => name),
  );
  const fix =
    near === undefined ? {} : { fix: { title: `change to $${near}`, text: [`$${near}`, ...part.tail].join('.') } };
  report.add('ACC_UNKNOWN_ROOT', spot, { root: part.root, hint: formatHint(near && `$${near}`) }, fix);
}

/** `tail` is none, name, env, path, optional-path, `declared:<symbol>` or `plugin:<kind>`. */
function checkTail(
  { registry, report, env }: AccessorContext,
  finds: Definition['finds'],
  spot: SourceLocation,
  part: AccessorPart,
  found: AccessorText,
  tail: string,
): void {
  const accessor = [`$${part.root}`, ...part.tail].join('.');
  const [first] = part.tail;
  const reportTail = (what: string): void => report.add('ACC_TAIL', spot, { accessor, what });
  if (tail === 'none' && first !== undefined) reportTail(`takes nothing behind "$${part.root}"`);
  if ((tail === 'name' || tail === 'env') && part.tail.length !== 1)
    reportTail('needs exactly one name behind the dot');
  if (tail === 'path' && first === undefined) reportTail('needs a path behind the dot');
  if (tail === 'env' && first !== undefined && env !== null && !env.has(first)) {
    const near = findNearest(first, env.keys());
    const fix = near === undefined ? {} : { fix: { title: `change to ${near}`, text: `$${part.root}.${near}` } };
    report.add('ENV_MISSING', spot, { name: first, hint: formatHint(near) }, fix);
  }
  if (tail === 'env' && found.secret && first !== undefined && env?.get(first)?.blank === true) {
    report.add('ENV_BLANK', spot, { name: first, place: found.place });
  }
  if (tail.startsWith('declared:')) {
    const symbol = tail.slice('declared:'.length);
    const declared = finds.declarations.filter((found) => found.symbol === symbol).map(({ name }) => name);
    const names = declared.map((name) => name.split('.')[0] ?? name);
    if (first === undefined) {
      const [only, other] = names;
      const near = only === undefined || other !== undefined ? undefined : `$${part.root}.${only}`;
      const fix = near === undefined ? {} : { fix: { title: `change to ${near}`, text: near } };
      report.add(
        'ACC_TAIL',
        spot,
        { accessor, what: `needs a name behind it, such as "${near ?? `${accessor}.id`}"` },
        fix,
      );
    } else if (finds.absent.length === 0 && !declared.some((name) => hasOverlap(splitPath(name), part.tail))) {
      const isInside = names.includes(first);
      // `user_id` often means the `id` of the caller.
      const near = isInside
        ? findNearest(part.tail.join('.'), declared)
        : (findNearest(first, names) ?? names.find((name) => first.toLowerCase().endsWith(`_${name}`)));
      const known = near === undefined ? '' : formatHint(`$${part.root}.${near}`);
      const rest = isInside ? [] : part.tail.slice(1);
      const text = near === undefined ? null : [`$${part.root}`, near, ...rest].join('.');
      const fix = text === null ? {} : { fix: { title: `change to ${text}`, text } };
      const name = isInside ? part.tail.join('.') : first;
      report.add('ACC_UNDECLARED', spot, { accessor, name, hint: known }, fix);
    }
  }
  if (!tail.startsWith('plugin:')) return;
  const kind = tail.slice('plugin:'.length);
  if (first === undefined || part.tail.length !== 1) {
    reportTail(`needs one of ${registry.names(kind).join(', ')} behind the dot`);
  } else if (registry.plugin(kind, first) === undefined) {
    reportUnknownPlugin({ registry, report }, spot, kind, first, (near) => `$${part.root}.${near}`);
  } else finds.uses.add(`${kind}:${first}`);
}
