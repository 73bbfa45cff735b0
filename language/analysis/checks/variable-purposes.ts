/**
 * Reports environment variables with two purposes, and two secrets with one value: a leak through one compromises the
 * other. Never sees the values.
 */
import type { Definition } from '../model.js';
import type { AccessorText } from '../facts.js';
import { memoize, memoizeWith } from '../memoize.js';
import type { Blocks } from '../stage-cache.js';
import type { Registry } from '../registry.js';
import type { Report, SourceLocation } from '../report.js';
import type { EnvFacts } from './accessors.js';

interface Use {
  readonly name: string;
  readonly purpose: string | undefined;
  readonly secret: boolean;
  readonly spot: SourceLocation;
}

interface PurposeContext {
  readonly registry: Registry;
  readonly report: Report;
  readonly env: EnvFacts | null;
}

/** The first use in file order determines the purpose. */
export function checkPurposes(context: PurposeContext, blocks: Blocks<Definition>): void {
  const { registry, report } = context;
  const lists = blocks.map((block) => readUses(block, registry));
  const first = new Map<string, Use>();
  for (const { purposes } of lists) for (const [use] of purposes) if (!first.has(use.name)) first.set(use.name, use);
  for (const uses of lists.flatMap(({ purposes }) => purposes)) {
    const known = first.get(uses[0].name);
    if (known === undefined || known.purpose === uses[0].purpose) continue;
    for (const { name, purpose, spot } of uses) {
      const related = [{ message: `"${name}" is for ${known.purpose} here`, spot: known.spot }];
      report.add('SEC_SHARED', spot, { name, purpose, other: known.purpose }, { related });
    }
  }
  reportSharedValues(
    context,
    lists.flatMap(({ secrets }) => secrets),
  );
}

type Uses = readonly [Use, ...Use[]];

/** `purposes`: by variable and purpose; `secrets`: first uses. */
const readUses = memoizeWith((block: readonly Definition[], registry: Registry) => {
  const roots = new Set(registry.listRoots('env'));
  const purposes = new Map<string, [Use, ...Use[]]>();
  const secrets = new Map<string, Use>();
  for (const use of block.flatMap((definition) => listUses(definition, roots))) {
    if (use.secret && !secrets.has(use.name)) secrets.set(use.name, use);
    if (use.purpose === undefined) continue;
    const key = JSON.stringify([use.name, use.purpose]);
    const known = purposes.get(key);
    if (known === undefined) purposes.set(key, [use]);
    else known.push(use);
  }
  return { purposes: [...purposes.values()] as readonly Uses[], secrets: [...secrets.values()] };
});

/** Includes variables that plugins read by a fixed name. */
function reportSharedValues({ registry, report, env }: PurposeContext, uses: readonly Use[]): void {
  if (env === null) return;
  const groups = new Map<string, Map<string, Use | null>>();
  const addUse = (name: string, use: Use | null): void => {
    const fact = env.get(name);
    if (fact === undefined) return;
    const group = groups.get(fact.sameAs ?? name) ?? new Map<string, Use | null>();
    if (!group.has(name)) group.set(name, use);
    groups.set(fact.sameAs ?? name, group);
  };
  for (const name of listKeyVariables(registry)) addUse(name, null);
  for (const use of uses) addUse(use.name, use);
  for (const [[other, one] = ['', null], ...rest] of groups.values()) {
    const related = one === null ? [] : [{ message: `"${other}" is used here`, spot: one.spot }];
    for (const [name, use] of rest)
      if (use !== null) report.add('SEC_SAME_VALUE', use.spot, { name, other }, { related });
  }
}

/** Of variables that no definition names. */
export function reportEqualKeys(registry: Registry, env: EnvFacts, report: Report, spot: SourceLocation): void {
  const names = listKeyVariables(registry).filter((name) => env.has(name));
  const findValue = (name: string): string => env.get(name)?.sameAs ?? name;
  for (const [at, name] of names.entries()) {
    const other = names.slice(0, at).find((one) => findValue(one) === findValue(name));
    if (other !== undefined) report.add('SEC_SAME_VALUE', spot, { name, other });
  }
}

const listKeyVariables = memoize(({ plugins }: Registry): readonly string[] =>
  [...plugins.values()].flatMap(({ facts }) => {
    const name = facts?.keyVariable;
    return typeof name === 'string' ? [name] : [];
  }),
);

const listUses = ({ doc, finds }: Definition, roots: ReadonlySet<string>): readonly Use[] =>
  finds.accessors.flatMap((found) => {
    const { purpose, secret, node } = found;
    if (purpose === undefined && !secret) return [];
    const spot = { doc, start: node.start, end: node.end };
    return listVariables(found, roots).map((name) => ({ name, purpose, secret, spot }));
  });

const listVariables = ({ parts }: AccessorText, roots: ReadonlySet<string>): string[] =>
  parts.flatMap(({ root, tail: [name] }) => (roots.has(root) && name !== undefined ? [name] : []));
