/** Suggests corrections of invented accessors: `$BODY.id`, `$NOW`, `$UUID`, `$ENV_KEY`. */
import { Slot } from '../../../contract/slot.js';
import type { AccessorPart } from '../../strings/accessor.js';
import { memoize } from '../memoize.js';
import type { Registry } from '../registry.js';

/** `whole` is false if the text still contains a placeholder name. */
export interface AccessorSuggestion {
  readonly text: string;
  readonly whole: boolean;
}

interface KnownAccessor {
  readonly name: string;
  readonly tail: string;
  readonly aliases: readonly string[];
  /** Tail names that are always available. */
  readonly offers: readonly string[];
}

export const listKnownAccessors = memoize((registry: Registry): readonly KnownAccessor[] =>
  registry.listKinds(Slot.ACCESSOR).flatMap(({ kind }) =>
    registry.names(kind).map((name) => {
      const facts = registry.plugin(kind, name)?.facts;
      return { name, tail: facts?.tail ?? 'none', aliases: facts?.aliases ?? [], offers: facts?.offers ?? [] };
    }),
  ),
);

export function suggestAccessor(
  registry: Registry,
  { root, tail }: Pick<AccessorPart, 'root' | 'tail'>,
): AccessorSuggestion | undefined {
  const known = listKnownAccessors(registry);
  const named = known.find(({ aliases }) => aliases.includes(root));
  if (named !== undefined) return formatSuggestion(registry, named, tail);
  for (const accessor of known) {
    const names = listTailNames(registry, accessor);
    // `$UUID`: the tail alone, without the accessor.
    const alone = [...names, ...accessor.offers].find((name) => name.toUpperCase() === root);
    if (alone !== undefined && tail.length === 0) return formatSuggestion(registry, accessor, [alone]);
    // `$GENERATE_UUID`, `$ENV_KEY`: an underscore instead of a dot.
    const prefix = [accessor.name, ...accessor.aliases].find((name) => root.startsWith(`${name}_`));
    if (prefix === undefined || accessor.tail === 'none') continue;
    const rest = root.slice(prefix.length + 1);
    if (rest !== '') return formatSuggestion(registry, accessor, [rest, ...tail]);
  }
  return undefined;
}

function listTailNames(registry: Registry, { tail }: KnownAccessor): readonly string[] {
  return tail.startsWith('plugin:') ? registry.names(tail.slice('plugin:'.length)) : [];
}

function formatSuggestion(registry: Registry, accessor: KnownAccessor, tail: readonly string[]): AccessorSuggestion {
  const { name, tail: wants } = accessor;
  if (wants === 'none') return { text: `$${name}`, whole: true };
  // `$PROCESS.env.KEY` repeats the accessor.
  const [first] = tail;
  const rest = first?.toUpperCase() === name && tail.length > 1 ? tail.slice(1) : tail;
  if (wants.startsWith('plugin:')) {
    const names = listTailNames(registry, accessor);
    const found = names.find((one) => one === rest[0]?.toUpperCase());
    return found === undefined
      ? { text: `$${name}.${names[0] ?? 'NAME'}`, whole: false }
      : { text: `$${name}.${found}`, whole: true };
  }
  if (rest.length > 0) return { text: [`$${name}`, ...rest].join('.'), whole: true };
  return wants === 'optional-path' ? { text: `$${name}`, whole: true } : { text: `$${name}.name`, whole: false };
}

const OTHER_LETTERS = /\$([A-Za-z]*[a-z][A-Za-z]*)((?:\.[A-Za-z0-9_-]+)*)/g;

export interface MiscasedAccessor {
  readonly start: number;
  readonly end: number;
  readonly right: string;
  /** False for an alias of an accessor. */
  readonly named: boolean;
}

/** `$payload.email` is plain text to the parser. */
export function findMiscasedAccessors(registry: Registry, text: string): MiscasedAccessor[] {
  if (!text.includes('$')) return [];
  const known = listKnownAccessors(registry);
  return [...text.matchAll(OTHER_LETTERS)].flatMap(({ 0: whole, 1: word = '', 2: dotted = '', index }) => {
    const root = word.toUpperCase();
    const tail = dotted.split('.').slice(1);
    const own = known.find(({ name }) => name === root);
    if (own !== undefined && (own.tail === 'none') !== (tail.length === 0)) return [];
    const right = own === undefined ? undefined : [`$${root}`, ...tail].join('.');
    const other = own === undefined && tail.length > 0 ? suggestAccessor(registry, { root, tail }) : undefined;
    const intended = right ?? (other?.whole === true ? other.text : undefined);
    return intended === undefined
      ? []
      : [{ start: index, end: index + whole.length, right: intended, named: own !== undefined }];
  });
}
