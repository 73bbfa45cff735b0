/**
 * Variables of the environment whose value is used for two things: what one of them lets out, or lets others make, opens the
 * other. Compares names of variables across all files; values are not known here.
 */
import type { Definition } from '../model.js';
import type { AccessorText } from '../finds.js';
import type { Spot } from '../report.js';
import type { AccessorContext } from './accessors.js';

interface Use {
  readonly purpose: string;
  readonly spot: Spot;
}

/** The first place in the order of the files decides what a variable is for; the others are reported. */
export function checkPurposes({ registry, report }: AccessorContext, definitions: readonly Definition[]): void {
  const roots = new Set(registry.rootsOf('env'));
  const first = new Map<string, Use>();
  for (const { doc, finds } of definitions) {
    for (const found of finds.accessors) {
      const { purpose, node } = found;
      if (purpose === undefined) continue;
      const spot = { doc, start: node.start, end: node.end };
      for (const name of variablesOf(found, roots)) {
        const known: Use = first.get(name) ?? { purpose, spot };
        first.set(name, known);
        if (known.purpose === purpose) continue;
        const related = [{ message: `"${name}" is for ${known.purpose} here`, spot: known.spot }];
        report.add('SEC_SHARED', spot, { name, purpose, other: known.purpose }, { related });
      }
    }
  }
}

const variablesOf = ({ parts }: AccessorText, roots: ReadonlySet<string>): string[] =>
  parts.flatMap(({ root, tail: [name] }) => (roots.has(root) && name !== undefined ? [name] : []));
