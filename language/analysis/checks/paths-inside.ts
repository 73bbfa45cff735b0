/** Reports paths into values without fields: after a text rule for `id`, `$PAYLOAD.id.json` is rejected or null. */
import { asText, isObject, type Json } from '../../../contract/json.js';
import { findNearest } from '../../source/suggest.js';
import type { LinkedResource } from '../linked-resource.js';
import type { Registry } from '../registry.js';
import { formatHint, type Report } from '../report.js';
import { listValueReads, type ValueRead } from '../value-reads.js';

export function checkPaths(resources: readonly LinkedResource[], registry: Registry, report: Report): void {
  for (const resource of resources) {
    for (const read of listValueReads(resource, registry)) {
      if (read.path.length > 1 && read.source !== null) checkPath(resource, read, registry, report);
    }
  }
}

const SCALAR: Readonly<Record<string, string>> = { string: 'text', number: 'a number', boolean: 'true or false' };

/** File extensions: after a name without a rule, the dot is probably text. */
const ENDINGS = /^(json|txt|csv|pdf|png|jpe?g|gif|webp|svg|xml)$/;

function checkPath(resource: LinkedResource, read: ValueRead, registry: Registry, report: Report): void {
  const { source, path, spot, form } = read;
  const written = form === 'accessor' ? getSourceText(read) : path.join('.');
  const reportScalar = (at: number, what: string): void =>
    report.add('ACC_NOTHING_INSIDE', spot, { accessor: written, name: path.slice(0, at).join('.'), what });
  if (source?.sort === 'generated') return reportScalar(1, 'text');
  if (source?.sort !== 'payload') return;
  if (source.why === 'path') return reportScalar(1, 'text');
  const rules = resource.definition.finds.declarations.filter(
    ({ symbol, name }) => symbol === 'payload-field' && name === source.name,
  );
  if (rules.length === 0) {
    if (form === 'accessor' && path.length === 2 && ENDINGS.test(path[1] ?? ''))
      report.add('ACC_ENDING', spot, { accessor: written, name: source.name, ending: path[1] });
    return;
  }
  if (rules.length > 1) return;
  let rule: Json = rules[0]?.value ?? null;
  for (let at = 1; at < path.length; at++) {
    const segment = path[at] ?? '';
    const type = findRuleJsType(registry, rule);
    const what = SCALAR[type];
    if (what !== undefined) return reportScalar(at, what);
    const isIndex = /^\d+$/.test(segment);
    if (type === 'array' && !isIndex) {
      report.add('ACC_NO_INDEX', spot, { accessor: written, name: path.slice(0, at).join('.'), segment });
      return;
    }
    if (!isObject(rule)) return;
    const fields = isObject(rule['fields']) ? rule['fields'] : null;
    if (type === 'array') {
      rule = fields === null ? null : { fields };
      continue;
    }
    if (fields === null) return;
    const next = Object.hasOwn(fields, segment) ? fields[segment] : undefined;
    if (next === undefined) {
      const near = findNearest(segment, Object.keys(fields));
      report.add('LNK_UNDECLARED', spot, { accessor: written, hint: formatHint(near) });
      return;
    }
    rule = next;
  }
}

const getSourceText = ({ spot: { doc, start, end } }: ValueRead): string => doc.text.slice(start, end);

/** Empty if the type is not certain. */
function findRuleJsType(registry: Registry, rule: Json): string {
  const type = isObject(rule) ? asText(rule['type']) : '';
  const spec = [...registry.plugins.values()].find(({ name, facts }) => name === type && facts?.jsType !== undefined);
  return spec?.facts?.jsType ?? '';
}
