/** `lintel dev`: serves what is sound, watches the files, and shows problems as they are written. */
import { watch } from 'chokidar';
import { dirname, resolve } from 'node:path';
import type { CommandOptions } from '../cli.js';
import { BrokenSet, createKernel, type Kernel, type ReloadOutcome } from '../runtime/kernel.js';
import { loadProject } from '../runtime/project.js';
import { createLog } from './log.js';
import { explain } from './explain.js';
import { paint } from './paint.js';
import { pretty, summary } from './problems.js';
import { run } from './serve.js';

/** Milliseconds of quiet after a change: editors write a file in several steps. */
const SETTLE = 60;

export async function dev({ config }: CommandOptions): Promise<number> {
  const log = createLog();
  const project = await loadProject(process.cwd(), config, process.env);
  let kernel: Kernel;
  try {
    kernel = await createKernel({ project, log, onProblem: 'skip' });
  } catch (error) {
    if (!(error instanceof BrokenSet)) throw error;
    process.stderr.write(
      `${pretty(error.problems, new Map([[project.configDocument.file, project.configDocument]]))}\n`,
    );
    return 1;
  }
  show(kernel, { applied: true, problems: kernel.problems() });
  const watcher = watchDefinitions(kernel, () => {
    void kernel.reload().then((outcome) => show(kernel, outcome));
  });
  try {
    return await run(kernel, true);
  } finally {
    await watcher.close();
  }
}

/** Watches the folders that the globs begin with. */
function watchDefinitions(kernel: Kernel, changed: () => void) {
  const { folder, configFile } = kernel.project;
  const roots = new Set(kernel.config.definitions.map((glob) => resolve(folder, fixedPart(glob))));
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch([...roots], {
    ignoreInitial: true,
    ignored: (path) => /(^|[/\\])(node_modules|\.[^./\\]+)$/.test(path),
  });
  watcher.on('all', (_event, path) => {
    if (resolve(path) === configFile || !/\.jsonc?$/.test(path)) return;
    clearTimeout(timer);
    timer = setTimeout(changed, SETTLE);
  });
  return watcher;
}

/** The folder before the first wildcard: `definitions` of `definitions/**` and so on. */
function fixedPart(glob: string): string {
  const wild = glob.search(/[*?{[]/);
  return wild === -1 ? dirname(glob) : dirname(`${glob.slice(0, wild)}x`);
}

function show(kernel: Kernel, { applied, problems, failure }: ReloadOutcome): void {
  const documents = new Map(kernel.analysis().documents);
  documents.set(kernel.project.configDocument.file, kernel.project.configDocument);
  if (problems.length > 0) process.stdout.write(`\n${pretty(problems, documents)}\n`);
  if (failure !== undefined) process.stdout.write(`\n${explain(failure)}\n`);
  const state = applied ? 'serving' : paint('warning', 'still serving the last sound set');
  process.stdout.write(`${state} ${kernel.plans().byId.size} resource(s): ${summary(problems)}\n`);
}
