/** Reports environment variables with two purposes: a leak through one compromises the other. Compares names, not values. */
import type { Definition } from '../model.js';
import type { AccessorText } from '../finds.js';
import type { Memory } from '../memory.js';
import type { Registry } from '../registry.js';
import type { Report, Spot } from '../report.js';

interface Use {
  readonly name: string;
  readonly purpose: string;
  readonly spot: Spot;
}

interface PurposeContext {
  readonly registry: Registry;
  readonly memory: Memory;
  readonly report: Report;
}

/** The first use in file order determines the purpose. */
export function checkPurposes({ registry, memory, report }: PurposeContext, definitions: readonly Definition[]): void {
  const roots = new Set(registry.rootsOf('env'));
  const work = (definition: Definition): readonly Use[] => usesIn(definition, roots);
  const first = new Map<string, Use>();
  for (const uses of memory.rememberAll(definitions, report, { name: 'purposes', reads: [], work })) {
    for (const { name, purpose, spot } of uses) {
      const known = first.get(name);
      if (known === undefined) first.set(name, { name, purpose, spot });
      if (known === undefined || known.purpose === purpose) continue;
      const related = [{ message: `"${name}" is for ${known.purpose} here`, spot: known.spot }];
      report.add('SEC_SHARED', spot, { name, purpose, other: known.purpose }, { related });
    }
  }
}

const usesIn = ({ doc, finds }: Definition, roots: ReadonlySet<string>): readonly Use[] =>
  finds.accessors.flatMap((found) => {
    const { purpose, node } = found;
    const spot = { doc, start: node.start, end: node.end };
    return purpose === undefined ? [] : variablesOf(found, roots).map((name) => ({ name, purpose, spot }));
  });

const variablesOf = ({ parts }: AccessorText, roots: ReadonlySet<string>): string[] =>
  parts.flatMap(({ root, tail: [name] }) => (roots.has(root) && name !== undefined ? [name] : []));
