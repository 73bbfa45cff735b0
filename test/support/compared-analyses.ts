/** Compares analyses: of an analyser that keeps outcomes, of a new one, and with the findings of an earlier start. */
import { expect } from 'chai';
import { isDeepStrictEqual } from 'node:util';
import { analyseFiles, type AnalyseOptions, type Analyser, type SourceFile } from '../../language/analysis/analyse.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import type { Definition } from '../../language/analysis/model.js';
import type { Registry } from '../../language/analysis/registry.js';
import { positionAt } from '../../language/source/document.js';
import type { Random } from './random-edits.js';

/** Models as plans and editors read them, with locations in the files. */
export function toComparable({ problems, resources, models, uses, documents }: Analysis): unknown {
  const toPlaceRow = ({ doc, node, name, sort }: Definition): unknown => [
    doc.file,
    sort,
    name,
    positionAt(doc, node.start),
    positionAt(doc, node.end),
  ];
  return {
    problems,
    uses: [...uses].sort(),
    documents: [...documents].map(([file, { text }]) => [file, text]),
    resources: resources.map(({ definition, actions, places, sources, ...rest }) => ({
      ...rest,
      sources: [null, ...actions.map(({ key }) => key)].map((key) => sources.listNames(key)),
      definition: toPlaceRow(definition),
      places: places.map(({ node, ...place }) => ({ ...place, at: positionAt(definition.doc, node.start) })),
      actions: actions.map(({ definition: of, node, places: all, parameters, ...action }) => ({
        ...action,
        node: [positionAt(of.doc, node.start), positionAt(of.doc, node.end)],
        places: all.map(({ node: at, ...place }) => ({ ...place, at: positionAt(of.doc, at.start) })),
        parameters: [...parameters].map(([pointer, decision]) => [pointer, decision]),
      })),
    })),
    models: models.map(({ definition, ...rest }) => ({ ...rest, definition: toPlaceRow(definition) })),
  };
}

/** At once or in turns; edits arrive between turns. */
export function analyseKept(analyser: Analyser, files: readonly SourceFile[], options: AnalyseOptions, random: Random) {
  const startTurn = (): (() => boolean) => {
    let left = 1 + random.below(40);
    return () => --left < 0;
  };
  while (files.length > 0 && random.chance(0.3)) {
    const one = random.pick(files);
    const edited = files.flatMap((file) => (file !== one ? file : random.chance(0.5) ? [] : { ...file, text: '{}' }));
    const own = random.chance(0.5) ? options : { ...options, env: random.chance(0.5) ? null : new Map(), given: null };
    for (let turns = random.below(4); turns >= 0; turns--) analyser.analyseInTurn(edited, own, startTurn());
    if (random.chance(0.3)) analyser.scanFile(one);
    if (random.chance(0.3)) analyser.analyseFirst(new Set([one.file]), files, options, startTurn());
  }
  if (random.chance(0.3)) return analyser.analyseAll(files, options);
  for (;;) {
    const found = analyser.analyseInTurn(files, options, startTurn());
    if (found !== null) return found;
    if (random.chance(0.02)) return analyser.analyseAll(files, options);
  }
}

/** With the findings of an earlier start, the same is served, and the same found. */
export function expectSameVerified(
  from: Registry,
  files: readonly SourceFile[],
  options: AnalyseOptions,
  analysis: Analysis,
  place: string,
) {
  const verified = analyseFiles(files, from, { ...options, verified: analysis });
  const [now, before] = [verified, analysis].map((one) => ({
    ...(toComparable(one) as object),
    names: [...one.names].map(([{ pointer }, names]) => [pointer, names]),
    asked: one.checkableStatements.map(({ statement, ...rest }) => [statement.node.pointer, rest]),
    documents: one.checkableQueries.map(({ query, ...rest }) => [query.node.pointer, rest]),
    acknowledged: one.acknowledged,
  }));
  if (!isDeepStrictEqual(now, before)) expect(now, place).to.deep.equal(before);
}
