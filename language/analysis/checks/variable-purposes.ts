/** Reports environment variables with two purposes: a leak through one compromises the other. Compares names, not values. */
import type { Definition } from '../model.js';
import type { AccessorText } from '../facts.js';
import type { StageCache } from '../stage-cache.js';
import type { Registry } from '../registry.js';
import type { Report, SourceLocation } from '../report.js';

interface Use {
  readonly name: string;
  readonly purpose: string;
  readonly spot: SourceLocation;
}

interface PurposeContext {
  readonly registry: Registry;
  readonly memory: StageCache;
  readonly report: Report;
}

/** The first use in file order determines the purpose. */
export function checkPurposes({ registry, memory, report }: PurposeContext, definitions: readonly Definition[]): void {
  const roots = new Set(registry.listRoots('env'));
  const listDefinitionUses = (definition: Definition): readonly Use[] => listUses(definition, roots);
  const first = new Map<string, Use>();
  for (const uses of memory.getOrComputeAll(definitions, report, {
    name: 'purposes',
    reads: [],
    compute: listDefinitionUses,
  })) {
    for (const { name, purpose, spot } of uses) {
      const known = first.get(name);
      if (known === undefined) first.set(name, { name, purpose, spot });
      if (known === undefined || known.purpose === purpose) continue;
      const related = [{ message: `"${name}" is for ${known.purpose} here`, spot: known.spot }];
      report.add('SEC_SHARED', spot, { name, purpose, other: known.purpose }, { related });
    }
  }
}

const listUses = ({ doc, finds }: Definition, roots: ReadonlySet<string>): readonly Use[] =>
  finds.accessors.flatMap((found) => {
    const { purpose, node } = found;
    const spot = { doc, start: node.start, end: node.end };
    return purpose === undefined ? [] : listVariables(found, roots).map((name) => ({ name, purpose, spot }));
  });

const listVariables = ({ parts }: AccessorText, roots: ReadonlySet<string>): string[] =>
  parts.flatMap(({ root, tail: [name] }) => (roots.has(root) && name !== undefined ? [name] : []));
