/** Groups resources that refer to one another or share an id. Groups are linked independently. */
import { asText } from '../../contract/json.js';
import { findMember } from '../source/tree.js';
import type { Definition } from './model.js';
import { memoize } from './memoize.js';
import type { Report } from './report.js';
import type { Blocks, StageCache } from './stage-cache.js';

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

/** Of those that stand alone there is no group: they are most of them. */
export interface ResourceGroups {
  /** The first resource of each group, by the block that it is in. */
  readonly heads: Blocks<Definition>;
  /** By their first resource, those with several resources, or with a reference to none. */
  readonly joined: ReadonlyMap<Definition, ResourceGroup>;
}

/** Places are those in the list of all resources. */
interface GroupShape {
  readonly members: readonly number[];
  readonly dangling: boolean;
}

export function groupResources(blocks: Blocks<Definition>, memory: StageCache, report: Report): ResourceGroups {
  const shapes = memory.getOrCompute(KEY, report, {
    name: 'shapes of groups',
    reads: blocks.map(listNames),
    compute: () => findGroups(blocks.flatMap(listNames)),
  });
  if (shapes.length === 0) return { heads: blocks, joined: new Map() };
  const all = blocks.flat();
  const joined = new Map<Definition, ResourceGroup>();
  const followers = new Set<Definition>();
  for (const { members, dangling } of shapes) {
    const definitions = members.flatMap((place) => all[place] ?? []);
    const [head, ...others] = definitions;
    if (head !== undefined) joined.set(head, { definitions, dangling });
    for (const one of others) followers.add(one);
  }
  const heads = blocks.map((block) =>
    block.some((one) => followers.has(one)) ? block.filter((one) => !followers.has(one)) : block,
  );
  return { heads: memory.reuseBlocks('heads of groups', heads), joined };
}

const KEY = Object.freeze({});

/** The id of each resource, and those that it refers to. */
const listNames = memoize((block: readonly Definition[]) =>
  block.map((resource) => [getResourceId(resource), ...listReferredIds(resource)]),
);

/** Groups of several resources, or with a reference to none. */
function findGroups(resources: readonly (readonly string[])[]): GroupShape[] {
  const leaders = new Map<string, string>();
  for (const [id = ''] of resources) leaders.set(id, id);
  const findLeader = (id: string): string => {
    let at = id;
    for (let next = leaders.get(at); next !== undefined && next !== at; next = leaders.get(at)) at = next;
    leaders.set(id, at);
    return at;
  };
  const dangling = new Set<number>();
  for (const [place, [id = '', ...names]] of resources.entries()) {
    for (const name of names) {
      if (leaders.has(name)) leaders.set(findLeader(name), findLeader(id));
      else dangling.add(place);
    }
  }
  const groups = new Map<string, number[]>();
  for (const [place, [id = '']] of resources.entries()) {
    const leader = findLeader(id);
    const members = groups.get(leader);
    if (members === undefined) groups.set(leader, [place]);
    else members.push(place);
  }
  return [...groups.values()]
    .map((members) => ({ members, dangling: members.some((place) => dangling.has(place)) }))
    .filter((one) => one.members.length > 1 || one.dangling);
}

const listReferredIds = memoize(({ finds }: Definition): readonly string[] =>
  finds.references.flatMap(({ refers, name, within }) => {
    const named = refers.symbol === 'resource' ? String(name) : refers.symbol === 'action' ? within?.name : undefined;
    return named === undefined || named === 'self' ? [] : [named];
  }),
);
