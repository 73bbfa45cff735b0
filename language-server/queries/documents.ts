/** Places inside the predicates of a document query: which names may stand there, as the specs of its fields say. */
import type { MemberNames, NamePlace } from '../../kernel/schema/meta.js';
import type { Site } from '../view.js';

/** The names of the object that the caret is in. `depth`: the level of the query's object. Null where nothing is said. */
export function namePlaceAt(site: Site, depth: number): NamePlace | null {
  // Of a name the last level is the object that holds it; a value has a level of its own.
  return placeAt(site, depth, site.cursor.at === 'key' ? undefined : -1);
}

/** What may stand where the value at the caret stands. */
export const valuePlaceAt = (site: Site, depth: number): NamePlace | null => placeAt(site, depth, undefined);

function placeAt({ levels }: Site, depth: number, end: number | undefined): NamePlace | null {
  const members = levels[depth + 1]?.field?.meta.members;
  if (members === undefined) return null;
  const keys = levels.slice(depth + 2, end).map(({ key }) => key);
  const name = keys.reduce<string>(
    (now, key) => (typeof key === 'string' ? behind(members, now, key) : now),
    members.start,
  );
  return members.places[name] ?? null;
}

/** The place behind a name; the empty text where nothing is said of it. */
export function behind({ places }: MemberNames, name: string, key: string): string {
  const place = places[name];
  if (Object.hasOwn(place?.words ?? {}, key)) return place?.behind?.[key] ?? '';
  return place?.fields ?? place?.made ?? '';
}

/** The path that a text at such a place names; null where it is a value, or a variable (`$$ROOT`). */
export function pathIn(kind: NamePlace['text'], text: string): string | null {
  if (kind === 'field') return text;
  return kind === 'path' ? (/^\$([^$].*)$/.exec(text)?.[1] ?? null) : null;
}
