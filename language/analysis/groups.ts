/** Groups resources that refer to one another, directly or indirectly, or share an id. Groups are linked independently. */
import { asText } from '../../contract/json.js';
import { memberOf } from '../source/tree.js';
import type { Definition } from './model.js';
import { once } from './once.js';

export interface Group {
  /** In the order of the set. */
  readonly definitions: readonly Definition[];
  /** A reference names a resource that does not exist. */
  readonly dangling: boolean;
}

export const idOf = once(({ node }: Definition): string => asText(memberOf(node, 'id')?.value?.scalar));

export const pathOf = once(({ node }: Definition): string => asText(memberOf(node, 'resource')?.value?.scalar));

export function groupsOf(resources: readonly Definition[]): Group[] {
  const leaders = new Map(resources.map((resource) => [idOf(resource), idOf(resource)]));
  const leaderOf = (id: string): string => {
    let at = id;
    for (let next = leaders.get(at); next !== undefined && next !== at; next = leaders.get(at)) at = next;
    leaders.set(id, at);
    return at;
  };
  const dangling = new Set<Definition>();
  for (const resource of resources) {
    for (const name of namedIn(resource)) {
      if (leaders.has(name)) leaders.set(leaderOf(name), leaderOf(idOf(resource)));
      else dangling.add(resource);
    }
  }
  const groups = new Map<string, Definition[]>();
  for (const resource of resources) {
    const leader = leaderOf(idOf(resource));
    const members = groups.get(leader);
    if (members === undefined) groups.set(leader, [resource]);
    else members.push(resource);
  }
  return [...groups.values()].map((definitions) => ({
    definitions,
    dangling: definitions.some((definition) => dangling.has(definition)),
  }));
}

const namedIn = once(({ finds }: Definition): readonly string[] =>
  finds.references.flatMap(({ refers, name, within }) => {
    const named = refers.symbol === 'resource' ? String(name) : refers.symbol === 'action' ? within?.name : undefined;
    return named === undefined || named === 'self' ? [] : [named];
  }),
);
