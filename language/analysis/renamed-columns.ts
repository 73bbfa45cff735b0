/** Finds the names under which statements reveal secret columns, as in `upper(password) AS pw`. */
import { createRevealer } from '../strings/sql-reveal.js';
import { toLexemes } from '../strings/sql-read.js';
import type { SqlText } from './facts.js';

/** Secret names of results. */
export interface SecretNames extends ReadonlySet<string> {
  /** Names of expressions: they contain no whole hash, even where a definition lists them. */
  readonly derived?: ReadonlySet<string>;
}

const NO_COLUMNS: ReadonlySet<string> = new Set();

/** `columns`: the other columns of the tables. */
export function addRenamed(
  names: Iterable<string>,
  statements: readonly SqlText[],
  columns: ReadonlySet<string> = NO_COLUMNS,
): SecretNames {
  const all = new Set(names);
  if (all.size === 0) return all;
  const derived = new Set<string>();
  const revealers = statements.map(({ scan }) => createRevealer(toLexemes(scan.text, scan.tokens), scan.text));
  // A column may be renamed several times in a WITH list.
  for (let before = -1; before !== all.size;) {
    before = all.size;
    const context = { names: new Set([...all].map((name) => name.toLowerCase())), columns };
    for (const reveal of revealers)
      for (const one of reveal(context)) {
        if (one.derived && !all.has(one.name)) derived.add(one.name);
        all.add(one.name);
      }
  }
  return Object.assign(all, { derived });
}
