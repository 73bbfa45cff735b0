/** Groups resources that refer to one another or share an id. Groups are linked independently. */
import { asText } from '../../contract/json.js';
import { findMember } from '../source/tree.js';
import type { Definition } from './model.js';
import { memoize } from './memoize.js';

export interface ResourceGroup {
  /** In the order of the set. */
  readonly definitions: readonly Definition[];
  /** A reference names a resource that does not exist. */
  readonly dangling: boolean;
}

export const getResourceId = memoize(({ node }: Definition): string => asText(findMember(node, 'id')?.value?.scalar));

export const getResourcePath = memoize(({ node }: Definition): string =>
  asText(findMember(node, 'resource')?.value?.scalar),
);

export const listResources = memoize((block: readonly Definition[]) => block.filter(({ sort }) => sort === 'resource'));

export function groupResources(resources: readonly Definition[]): ResourceGroup[] {
  const leaders = new Map<string, string>();
  for (const resource of resources) leaders.set(getResourceId(resource), getResourceId(resource));
  const findLeader = (id: string): string => {
    let at = id;
    for (let next = leaders.get(at); next !== undefined && next !== at; next = leaders.get(at)) at = next;
    leaders.set(id, at);
    return at;
  };
  const dangling = new Set<Definition>();
  for (const resource of resources) {
    for (const name of listReferredIds(resource)) {
      if (leaders.has(name)) leaders.set(findLeader(name), findLeader(getResourceId(resource)));
      else dangling.add(resource);
    }
  }
  const groups = new Map<string, Definition[]>();
  for (const resource of resources) {
    const leader = findLeader(getResourceId(resource));
    const members = groups.get(leader);
    if (members === undefined) groups.set(leader, [resource]);
    else members.push(resource);
  }
  return [...groups.values()].map((definitions) => ({
    definitions,
    dangling: definitions.some((definition) => dangling.has(definition)),
  }));
}

const listReferredIds = memoize(({ finds }: Definition): readonly string[] =>
  finds.references.flatMap(({ refers, name, within }) => {
    const named = refers.symbol === 'resource' ? String(name) : refers.symbol === 'action' ? within?.name : undefined;
    return named === undefined || named === 'self' ? [] : [named];
  }),
);
