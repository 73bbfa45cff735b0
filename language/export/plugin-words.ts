/** Describes a plugin's version, maturity, deprecation and facts. */
import type { FactValue, PluginSpec } from '../../contract/plugin.js';
import { code } from './markdown.js';

export const deprecationOfPlugin = ({ deprecated }: PluginSpec): string =>
  deprecated === undefined ? '' : `**Deprecated** since ${deprecated.since}: ${deprecated.message}`;

export function originOf({ since, status, facts }: PluginSpec): string {
  const told = Object.entries(facts ?? {}).map(([name, fact]) => `${code(name)} ${factText(fact)}`);
  const maturity = status === undefined || status === 'stable' ? '' : `, ${status}`;
  return `Since ${since}${maturity}.${told.length === 0 ? '' : ` Facts: ${told.join(', ')}.`}`;
}

/** Long lists are summarized by their length. */
const factText = (fact: FactValue): string =>
  Array.isArray(fact) && fact.length > 40 ? `(${fact.length} words)` : code(JSON.stringify(fact));
