/** Hover for names that all definitions share: where the name is declared and used. */
import type { SharedKind } from '../../contract/field-meta.js';
import { sharedId } from '../../language/analysis/symbols/shared-names.js';
import { joinBlocks } from '../../language/export/markdown.js';
import { rangeAt } from '../../language/source/document.js';
import { formatPlaces } from '../describe-names.js';
import { getSymbolIndex } from '../navigation/symbol-locations.js';
import { toCodeSpan } from '../safe-markdown.js';
import { createTokenHover, toAnalysedContext, type HoverSource } from './hover-source.js';

const TITLES: Readonly<Record<SharedKind, string>> = {
  'cache-key': 'the name of cached entries',
  room: 'a room of connections',
  event: 'an event for connected clients',
};

export const hoverSharedName: HoverSource = (view, site) => {
  const { token, at } = site.cursor;
  if (token === null || at !== 'value' || (site.definition?.finds.sharedNames.length ?? 0) === 0) return null;
  const { definition } = toAnalysedContext(view, site);
  const here = view.range(token.start, token.end).start;
  const found = definition?.finds.sharedNames.find(({ node }) => {
    const { start } = rangeAt(definition.doc, node.start, node.end);
    return start.line === here.line && start.character === here.character;
  });
  const symbol = found && getSymbolIndex(view.project).get(sharedId(found.symbol, found.name));
  if (found === undefined || symbol === undefined) return null;
  return createTokenHover(
    site,
    joinBlocks(
      `**${toCodeSpan(found.name)}**: ${TITLES[found.symbol]}`,
      formatPlaces(view, symbol, 'declaration', 'Declared at'),
      formatPlaces(view, symbol, 'use', 'Used at'),
    ),
  );
};
