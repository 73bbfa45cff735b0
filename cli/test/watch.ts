/** `lintel test --watch`: runs the cases that a save can have changed. */
import { watch } from 'chokidar';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Project } from '../../language/project/project.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import { getFixedPart } from '../../language/project/definition-files.js';
import { createPaint } from '../colors.js';
import { formatError } from '../format-error.js';
import type { Terminal } from '../terminal.js';
import type { TestCase } from './definition.js';

/** Milliseconds without a change: editors write a file in several steps. */
const SETTLE = 60;

/** The texts of the last run, by file. */
export type KnownTexts = Map<string, string>;

/** Resolves at SIGINT or SIGTERM, with the exit code of the last run. */
export async function runOnChanges(
  { folder, config }: Project,
  terminal: Terminal,
  run: () => Promise<number>,
): Promise<number> {
  const { signals, stdout, stderr } = terminal;
  const roots = new Set((config?.definitions ?? []).map((glob) => resolve(folder, getFixedPart(glob))));
  const watcher = watch([...roots], { ignoreInitial: true });
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve(0);
  const runAgain = (): void => {
    const reportFailure = (error: unknown): number => {
      stderr.write(`${formatError(error, createPaint(terminal))}\n`);
      return 1;
    };
    running = running.then(run).catch(reportFailure);
    void running.then(() => stdout.write('\nwaiting for changes\n'));
  };
  await once(watcher, 'ready');
  watcher.on('all', (_event, path) => {
    if (!/\.jsonc?$/.test(path)) return;
    clearTimeout(timer);
    timer = setTimeout(runAgain, SETTLE);
  });
  runAgain();
  const stopped = new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) signals.on(signal, () => done());
  });
  await stopped;
  clearTimeout(timer);
  await watcher.close();
  return running;
}

/**
 * The cases that depend on a file with another text than in the last run: their own, or one of a resource that they call. A model
 * concerns all. `calls`: the resources of a case.
 */
export function selectAffected(
  cases: readonly TestCase[],
  { documents, models, resources }: Analysis,
  known: KnownTexts,
  calls: (test: TestCase) => ReadonlySet<string>,
): readonly TestCase[] {
  const isFirst = known.size === 0;
  const files = new Set([...documents.keys(), ...known.keys()]);
  const changed = new Set([...files].filter((file) => documents.get(file)?.text !== known.get(file)));
  const isRemoved = [...changed].some((file) => !documents.has(file));
  known.clear();
  for (const [file, { text }] of documents) known.set(file, text);
  if (isFirst || isRemoved || models.some(({ definition }) => changed.has(definition.doc.file))) return cases;
  const ids = resources.filter(({ definition }) => changed.has(definition.doc.file)).map(({ id }) => id);
  return cases.filter((test) => {
    const called = calls(test);
    return changed.has(test.definition.doc.file) || ids.some((id) => called.has(id));
  });
}
