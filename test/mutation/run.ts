/**
 * `npm run mutate`: selects mutants of the product's sources, runs the tests that execute them, and reports which were
 * killed. Exits with an error if the list of equivalents is outdated.
 */
import { createCompiler, type Compiler } from './apply.js';
import { compactMeasurements, measureCoverage } from './coverage.js';
import { createEquivalents, readEquivalents } from './equivalents.js';
import { drawMutations, listAllMutations, listSources } from './generate.js';
import { runMutant } from './mutant.js';
import type { Mutation } from './mutation.js';
import { matchesGlob, readOptions, USAGE, type Options } from './options.js';
import { createFinder, type FindRelated } from './related.js';
import { formatResult, formatSummary, openResults, type MutantResult, type ResultFile } from './results.js';
import { startServers, type SharedServers } from './servers.js';
import { createWorkspace, type Workspace } from './workspace.js';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

interface Drawn {
  readonly mutation: Mutation;
  /** Null for an equivalent. */
  readonly code: string | null;
}

/** Mutants that compile, in the order of the seed, created one by one. */
function* drawMutants(
  mutations: readonly Mutation[],
  { seed, count, only }: Options,
  compiler: Compiler,
  isEquivalent: (mutation: Mutation) => boolean,
): Generator<Drawn> {
  if (only !== null) {
    for (const mutation of mutations.filter(({ id }) => only.includes(id))) {
      const compiled = compiler.compile(mutation);
      if ('code' in compiled) yield { mutation, code: compiled.code };
      else print(`${mutation.id} does not compile: ${compiled.rejected}`);
    }
    return;
  }
  const draw = drawMutations(mutations, seed);
  let [drawn, isUsed]: [number, boolean | undefined] = [0, undefined];
  for (;;) {
    const next: IteratorResult<Mutation, void> = draw.next(isUsed);
    if (next.done === true || drawn >= count) return;
    const mutation = next.value;
    const compiled = isEquivalent(mutation) ? { code: null } : compiler.compile(mutation);
    isUsed = 'code' in compiled;
    if (!('code' in compiled)) continue;
    drawn++;
    yield { mutation, code: compiled.code };
  }
}

interface Bench {
  readonly workspaces: readonly Workspace[];
  readonly servers: SharedServers;
}

async function runAll(
  mutants: Generator<Drawn>,
  { workspaces, servers }: Bench,
  findRelated: FindRelated,
  options: Options,
  file: ResultFile,
): Promise<MutantResult[]> {
  const results: MutantResult[] = [];
  const isAlone = workspaces.length === 1;
  await Promise.all(
    workspaces.map(async (workspace) => {
      for (const { mutation, code } of mutants) {
        const { id, kind, file: source, line, column, before, after } = mutation;
        const known = file.known.get(id);
        if (known !== undefined) {
          results.push(known);
          continue;
        }
        const start = performance.now();
        const related = findRelated(mutation, options.budgetMs);
        const nothing = { tests: [], test: null, message: null };
        const trial =
          code === null
            ? { outcome: 'equivalent' as const, ...nothing }
            : related.files.length === 0
              ? { outcome: 'uncovered' as const, ...nothing }
              : await runMutant(workspace, servers, source, code, related);
        const ms = Math.round(performance.now() - start);
        const { isCut } = related;
        const result: MutantResult = { id, kind, file: source, line, column, before, after, isCut, ms, ...trial };
        file.add(result);
        results.push(result);
        print(`${results.length}/${options.only?.length ?? options.count} ${formatResult(result)}`);
        // Other jobs use databases of the same servers.
        if (isAlone) await servers.removeDatabases();
      }
    }),
  );
  return results;
}

async function main(options: Options): Promise<number> {
  const disposers: (() => unknown)[] = [];
  const dispose = async (): Promise<void> => {
    for (const release of disposers.splice(0).reverse()) await release();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void dispose().then(() => process.exit(1)));
  }
  try {
    const workspaces = Array.from({ length: options.list ? 1 : options.jobs }, createWorkspace);
    for (const workspace of workspaces) disposers.push(() => workspace.dispose());
    const [workspace] = workspaces;
    if (workspace === undefined) return 1;
    const root = workspace.folder;
    const all = listAllMutations(root);
    const equivalents = createEquivalents(readEquivalents(root), all);
    for (const { file, before } of equivalents.stale) {
      print(`equivalent.json: no mutation of ${file} has this line any more: ${before}`);
    }
    if (equivalents.stale.length > 0) return 1;
    const { file } = options;
    const mutations = file === null ? all : all.filter((mutation) => matchesGlob(mutation.file, file));
    print(`${mutations.length} mutations of ${listSources(root).length} files, seed ${options.seed}`);
    const mutants = drawMutants(mutations, options, createCompiler(root), equivalents.has);
    if (options.list) {
      for (const { mutation } of mutants) {
        const { id, kind, file: source, line, before, after } = mutation;
        print(`${id} ${kind} ${source}:${line}\n    - ${before}\n    + ${after === '' ? '(removed)' : after}`);
      }
      return 0;
    }
    const servers = await startServers();
    disposers.push(() => servers.stop());
    for (const reason of servers.missing) print(`tests without a server are skipped: ${reason}`);
    const measured = await measureCoverage(workspaces, root, servers, options.tests, print);
    disposers.push(() => compactMeasurements(root, measured));
    for (const { path, problem } of measured) if (problem !== null) print(`left out: ${path}: ${problem}`);
    const results = await runAll(
      mutants,
      { workspaces, servers },
      createFinder(measured),
      options,
      openResults(options.out, options.resume),
    );
    print(formatSummary(results));
    return 0;
  } finally {
    await dispose();
  }
}

function readArguments(): Options | null {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    print(USAGE);
    return null;
  }
}

const options = readArguments();
process.exitCode = options === null ? 1 : await main(options);
