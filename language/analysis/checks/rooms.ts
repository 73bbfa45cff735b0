/** Reports room names that no connection joins. */
import { parseTemplate, type TemplatePart } from '../../strings/accessor.js';
import { findNearest } from '../../source/suggest.js';
import { findNode, type LocatedNode } from '../../source/tree.js';
import type { LinkedResource } from '../linked-resource.js';
import { memoizeWith } from '../memoize.js';
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import { formatHint, createRenameFix, type Report } from '../report.js';
import type { Blocks } from '../stage-cache.js';

interface Room {
  readonly node: LocatedNode;
  readonly written: string;
  /** Contains `VALUE` for each value and `ANY` for each environment variable. */
  readonly words: string;
  readonly values: readonly string[];
  readonly open: boolean;
}

interface Rooms {
  readonly joined: readonly Room[];
  readonly named: readonly Room[];
}

/** Characters that no room name contains. */
const VALUE = '\u0000';
const ANY = '\u0001';

export function checkRooms(registry: Registry, report: Report, resources: Blocks<LinkedResource>): void {
  const found = resources.flatMap((block) => listDefinedRooms(block, registry));
  const joined = found.flatMap(({ rooms }) => rooms.joined);
  for (const { definition, rooms } of found)
    for (const room of rooms.named) {
      if (joined.some((one) => isSameRoom(one, room))) continue;
      const { start, end } = room.node;
      const near = suggestRoom(room, joined);
      const params = { name: room.written, hint: formatHint(near) };
      report.add('LNK_ROOM', { doc: definition.doc, start, end }, params, createRenameFix(near));
    }
}

function isSameRoom(a: Room, b: Room): boolean {
  if (a.open && b.open) return a.values.length === b.values.length;
  return a.open ? isMatchingRoom(a, b.words) : b.open ? isMatchingRoom(b, a.words) : a.words === b.words;
}

/** `ANY` matches text without values. */
function isMatchingRoom({ words: open }: Room, words: string): boolean {
  const [first = '', ...pieces] = open.split(ANY);
  const last = pieces.pop() ?? '';
  let at = first.length;
  for (const piece of pieces) {
    const found = words.indexOf(piece, at);
    if (found < 0 || words.slice(at, found).includes(VALUE)) return false;
    at = found + piece.length;
  }
  const end = words.length - last.length;
  return words.startsWith(first) && words.endsWith(last) && end >= at && !words.slice(at, end).includes(VALUE);
}

function suggestRoom({ words, values }: Room, joined: readonly Room[]): string | undefined {
  const alike = joined.filter((one) => !one.open && one.values.length === values.length);
  const near = findNearest(
    words,
    alike.map((one) => one.words),
  );
  const rest = [...values];
  return near?.replaceAll(VALUE, () => rest.shift() ?? '');
}

const listDefinedRooms = memoizeWith((block: readonly LinkedResource[], registry: Registry) =>
  block.flatMap(({ definition }) => {
    const rooms = listRooms(registry, definition);
    return rooms.joined.length + rooms.named.length === 0 ? [] : [{ definition, rooms }];
  }),
);

function listRooms(registry: Registry, definition: Definition): Rooms {
  const settled = registry.listRoots('env');
  const of = (fact: 'joins' | 'rooms'): Room[] =>
    definition.finds.places.flatMap(({ plugin, node, sound }) => {
      const field = registry.plugins.get(plugin)?.facts?.[fact];
      const written = typeof field === 'string' && sound ? findNode(node, `/${field}`)?.node : undefined;
      return written === undefined
        ? []
        : (written.type === 'array' ? written.items : [written]).flatMap((one) => parseRooms(one, settled));
    });
  return { joined: of('joins'), named: of('rooms') };
}

function parseRooms(node: LocatedNode, settled: readonly string[]): Room[] {
  if (node.type !== 'string' && node.type !== 'number') return [];
  const written = String(node.scalar);
  const parts = node.type === 'string' ? parseTemplate(written) : [written];
  const isSettled = (part: TemplatePart): boolean => typeof part !== 'string' && settled.includes(part.root);
  const values = parts.flatMap((part) =>
    typeof part === 'string' || isSettled(part) ? [] : [written.slice(part.start, part.end)],
  );
  const words = parts.map((part) => (typeof part === 'string' ? part : isSettled(part) ? ANY : VALUE)).join('');
  return [{ node, written, words, values, open: parts.some(isSettled) }];
}
