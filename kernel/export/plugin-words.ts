/** What a plugin is, in words beside its own: since when, whether it is going away, what it states of itself. */
import type { FactValue, PluginSpec } from '../contract/plugin.js';
import { code } from './markdown.js';

/** One sentence, or nothing. */
export const deprecationOfPlugin = ({ deprecated }: PluginSpec): string =>
  deprecated === undefined ? '' : `**Deprecated** since ${deprecated.since}: ${deprecated.message}`;

export function originOf({ since, status, facts }: PluginSpec): string {
  const told = Object.entries(facts ?? {}).map(([name, fact]) => `${code(name)} ${factText(fact)}`);
  const maturity = status === undefined || status === 'stable' ? '' : `, ${status}`;
  return `Since ${since}${maturity}.${told.length === 0 ? '' : ` Facts: ${told.join(', ')}.`}`;
}

/** A list of many words is for programs. */
const factText = (fact: FactValue): string =>
  Array.isArray(fact) && fact.length > 40 ? `(${fact.length} words)` : code(JSON.stringify(fact));
