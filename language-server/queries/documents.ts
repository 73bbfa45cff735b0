/** Resolves places inside document queries to their valid names, as defined by the specs' `members`. */
import type { MemberNames, NamePlace } from '../../contract/field-meta.js';
import type { CursorContext } from '../document-context.js';

/** Names valid in the object at the cursor. `depth`: level of the query's object. Returns null if unspecified. */
export function namePlaceAt(site: CursorContext, depth: number): NamePlace | null {
  // For a key, the last level is its object; a value has a level of its own.
  return placeAt(site, depth, site.cursor.at === 'key' ? undefined : -1);
}

export const valuePlaceAt = (site: CursorContext, depth: number): NamePlace | null => placeAt(site, depth, undefined);

function placeAt({ levels }: CursorContext, depth: number, end: number | undefined): NamePlace | null {
  const members = levels[depth + 1]?.field?.meta.members;
  if (members === undefined) return null;
  const keys = levels.slice(depth + 2, end).map(({ key }) => key);
  const name = keys.reduce<string>(
    (now, key) => (typeof key === 'string' ? resolveNextPlace(members, now, key) : now),
    members.start,
  );
  return members.places[name] ?? null;
}

/** The place below a name; an empty string if unspecified. */
export function resolveNextPlace({ places }: MemberNames, name: string, key: string): string {
  const place = places[name];
  if (Object.hasOwn(place?.words ?? {}, key)) return place?.behind?.[key] ?? '';
  return place?.fields ?? place?.made ?? '';
}

/** The path that a string refers to; null for values and variables (`$$ROOT`). */
export function pathIn(kind: NamePlace['text'], text: string): string | null {
  if (kind === 'field') return text;
  return kind === 'path' ? (/^\$([^$].*)$/.exec(text)?.[1] ?? null) : null;
}
