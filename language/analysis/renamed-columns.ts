/** Names under which statements reveal secret columns: `upper(password) AS pw`. */
import type { RevealedName } from '../../contract/statement-text.js';
import type { SqlText } from './facts.js';
import type { UsedObject } from './stored-objects.js';

export interface SecretNames extends ReadonlySet<string> {
  /** Of expressions: they contain no whole hash. */
  readonly derived?: ReadonlySet<string>;
}

/** A statement, or the query of a view. */
type ReadText = Pick<SqlText, 'language' | 'scan'>;

const NO_COLUMNS: ReadonlySet<string> = new Set();

/** `columns`: the other columns of the tables. */
export function addRenamed(
  names: Iterable<string>,
  statements: readonly ReadText[],
  columns: ReadonlySet<string> = NO_COLUMNS,
  objects: readonly UsedObject[] = [],
): SecretNames {
  const all = new Set(names);
  if (all.size === 0) return all;
  const derived = new Set<string>();
  const create = ({ language, scan }: ReadText) => language.createRevealer(scan);
  const views = objects.filter(({ sort }) => sort === 'view');
  const functions = objects.flatMap((one) => (one.sort === 'function' ? [{ ...one, reveal: create(one) }] : []));
  const revealers = [...statements, ...views].map(create);
  const calls = new Set<string>();
  // A column may be renamed several times in a WITH list.
  for (let before = -1; before !== all.size + calls.size;) {
    before = all.size + calls.size;
    const context = { names: new Set([...all].map((name) => name.toLowerCase())), columns, calls };
    for (const { name, unclear, reveal } of functions) {
      const found = reveal({ ...context, whole: true });
      if (found.length === 0) continue;
      calls.add(name.toLowerCase());
      for (const one of [...unclear, ...found.map((each) => each.name)]) all.add(one);
    }
    for (const reveal of revealers)
      for (const one of reveal(context)) {
        if (one.derived && !all.has(one.name)) derived.add(one.name);
        all.add(one.name);
      }
  }
  return Object.assign(all, { derived });
}

/** Under which the statement returns or writes a placeholder's value. */
export function findNamesOfValue(
  { language, scan }: SqlText,
  value: string,
  columns: ReadonlySet<string>,
): readonly RevealedName[] {
  const reveal = language.createRevealer(scan);
  const names = new Set<string>();
  for (;;) {
    const found = reveal({ names, columns, value });
    const before = names.size;
    for (const { name } of found) names.add(name.toLowerCase());
    if (names.size === before) return found;
  }
}

/** Columns that a secret is copied into. */
export function findCopies(
  names: ReadonlySet<string>,
  statements: readonly SqlText[],
): readonly { readonly statement: SqlText; readonly column: string }[] {
  if (names.size === 0) return [];
  const context = { names: new Set([...names].map((name) => name.toLowerCase())), columns: NO_COLUMNS };
  return statements.flatMap((statement) => {
    const { language, scan } = statement;
    if (scan.verb !== 'INSERT' && scan.verb !== 'UPDATE') return [];
    const found = language.createRevealer(scan)(context);
    const columns = new Set(found.flatMap(({ name, written }) => (written === true && !names.has(name) ? [name] : [])));
    return [...columns].map((column) => ({ statement, column }));
  });
}
