/** What stops a start, found by compiling. Connects to nothing and runs no code of the project. */
import { pino } from 'pino';
import { BootError } from '../contract/boot-error.js';
import { fillMessage, type Problem } from '../contract/problem.js';
import { createKernel, type Kernel } from '../kernel/runtime/kernel.js';
import { createProject } from '../plugins/distribution.js';
import { createAnalysisOptions, type LoadedDefinitions, type Project } from '../language/project/project.js';
import { createAnalyser, type Analyser } from '../language/analysis/analyse.js';
import { reportQueryRejections } from '../language/analysis/checks/rejections.js';
import type { Analysis } from '../language/analysis/analysis.js';
import { createReport, toProblems } from '../language/analysis/report.js';
import { checkQueriesInStores } from '../language/project/store-checks.js';
import type { ProjectTexts } from '../language/project/scratch-messages.js';

const LOG = pino({ level: 'silent' });

export async function listSettingProblems(project: Project, analysis: Analysis): Promise<readonly Problem[]> {
  if (project.unrun !== null) return [];
  const loaded: LoadedDefinitions = {
    analysis,
    problems: [],
    descriptions: new Map(),
    withRejections: () => Promise.resolve(loaded),
    withObjects: () => Promise.resolve(loaded),
  };
  try {
    const kernel = await createKernel({ project, log: LOG, onProblem: 'skip', connect: false, loaded });
    try {
      const { failures } = kernel.plans();
      return [...failures.map(({ problem }) => problem), ...(await listEmbeddedRejections(kernel, loaded))];
    } finally {
      await kernel.close('done');
    }
  } catch (error) {
    if (!(error instanceof BootError)) throw error;
    const { code, params } = error;
    // The definitions are loaded with this problem.
    if (code === 'PLG_PACKAGE') return [];
    const entry = project.registry.codes[code] ?? error.words;
    const message = entry === undefined ? error.message : fillMessage(entry.message, params);
    const start = { line: 0, character: 0 };
    const { file, range } = error.range ?? { file: project.configDocument.file, range: { start, end: start } };
    return [{ code, severity: 'error', message, file, range, related: [] }];
  }
}

/** Without a server, an embedded document store rejects what it cannot run. */
async function listEmbeddedRejections(
  { project, instances }: Pick<Kernel, 'project' | 'instances'>,
  loaded: LoadedDefinitions,
): Promise<readonly Problem[]> {
  const { registry } = project;
  const own = instances.filter(({ id }) => registry.plugins.get(id)?.facts?.embedded === true);
  const rejections = await checkQueriesInStores(loaded, project, own, instances);
  if (rejections.size === 0) return [];
  const report = createReport(registry.codes);
  reportQueryRejections(report, loaded.analysis.definitions, rejections);
  return toProblems(report);
}

/** What is read again only after another config or another variable. */
interface Reader {
  readonly key: string;
  readonly project: Project;
  readonly analyser: Analyser;
}

/** Checks the texts of an editor again and again; keeps what has not changed. */
export function createSettingsChecker(): (texts: ProjectTexts) => Promise<readonly Problem[]> {
  let reader: Reader | null = null;

  async function read({ configFile, source, env, folder: cwd }: ProjectTexts): Promise<Reader> {
    const key = JSON.stringify([configFile, source, env]);
    if (reader?.key === key) return reader;
    const project = await createProject({ cwd, file: configFile, source, env, dev: false, trusted: false });
    return (reader = { key, project, analyser: createAnalyser(project.registry) });
  }

  return async (texts) => {
    try {
      const { project, analyser } = await read(texts);
      const { config } = project;
      if (config === null || project.unrun !== null) return [];
      const { files } = texts;
      const analysis = analyser.analyseAll(files, await createAnalysisOptions(project, config, files));
      return await listSettingProblems(project, analysis);
    } catch (error) {
      // The editor reports what is wrong with the config itself.
      if (error instanceof BootError) return [];
      throw error;
    }
  };
}
