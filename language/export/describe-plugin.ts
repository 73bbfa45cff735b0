/** Describes a plugin's version, maturity, deprecation and facts. */
import type { FactValue } from '../../contract/plugin.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import { formatCode } from './markdown.js';

export const describePluginDeprecation = ({ deprecated }: PluginSpec): string =>
  deprecated === undefined ? '' : `**Deprecated** since ${deprecated.since}: ${deprecated.message}`;

export function describeOrigin({ since, status, facts }: PluginSpec): string {
  const listed = Object.entries(facts ?? {}).map(([name, fact]) => `${formatCode(name)} ${formatFact(fact)}`);
  const maturity = status === undefined || status === 'stable' ? '' : `, ${status}`;
  return `Since ${since}${maturity}.${listed.length === 0 ? '' : ` Facts: ${listed.join(', ')}.`}`;
}

/** Long lists are summarized by their length. */
const formatFact = (fact: FactValue): string =>
  Array.isArray(fact) && fact.length > 40 ? `(${fact.length} words)` : formatCode(JSON.stringify(fact));
