/** The tools: what a language model needs to write definitions. None changes a file or data. */
import { isAbsolute } from 'node:path';
import { Writable } from 'node:stream';
import { asText, isObject, type Json, type JsonObject } from '../../contract/json.js';
import { hasErrors } from '../../contract/problem.js';
import { findNearest } from '../../language/source/suggest.js';
import type { Project } from '../../language/project/project.js';
import { loadProject } from '../../plugins/distribution.js';
import { checkOnScratch } from '../check.js';
import type { CommandOptions } from '../options.js';
import { addConfigDocument, formatProblems } from '../problems.js';
import type { Terminal } from '../terminal.js';
import { loadTrustedProject } from '../trust.js';
import { runCommand } from './command.js';
import { describeCode, describePlugin, describeProject, describeSchemas } from './describe.js';

export interface ToolContext {
  readonly options: CommandOptions;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  run(given: Readonly<Record<string, unknown>>, context: ToolContext): Promise<Answer>;
}

const createTextSchema = (description: string, maxLength = 256): JsonObject => ({
  type: 'string',
  description,
  maxLength,
});
const createArguments = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});

const createSuccess = (text: string): Answer => ({ text, isError: false });
const createFailure = (text: string): Answer => ({ text, isError: true });

/** Milliseconds. */
const PLAN_TIME = 60_000;
const TEST_TIME = 300_000;

export const TOOLS: readonly Tool[] = [
  {
    name: 'schema',
    description:
      'JSON Schema of what can be written. Without arguments: the kinds of plugins, where each is written, and their names. With ' +
      '`kind`: its plugins. With `kind` and `plugin`: the fields of that plugin, such as kind "feature", plugin "payload_validation".',
    schema: createArguments({ kind: createTextSchema('A kind.'), plugin: createTextSchema('A plugin of the kind.') }),
    run: ({ kind, plugin }, context) =>
      withProject(context, ({ registry }) => describeSchemas(registry, readText(kind), readText(plugin))),
  },
  {
    name: 'describe',
    description:
      'Documentation. One of: `plugin` with its `kind` (what it does, fields, examples, mistakes), `resource` (id or path: request, ' +
      'response, actionables), `model` (name: fields), `code` (of a problem: what it means and what to do). Without arguments: all ' +
      'resources and models of the project.',
    schema: createArguments({
      kind: createTextSchema('The kind of the plugin.'),
      plugin: createTextSchema('A plugin.'),
      resource: createTextSchema('Id or path of a resource.', 1024),
      model: createTextSchema('Name of a model.'),
      code: createTextSchema('Code of a problem, such as DEF_UNKNOWN_KEY.'),
    }),
    run: ({ kind, plugin, resource, model, code }, context) =>
      withProject(context, (project) => {
        const { registry } = project;
        if (typeof code === 'string') return describeCode(registry, code);
        if (typeof plugin === 'string') return describePlugin(registry, readText(kind), plugin);
        return describeProject(project, readText(resource), readText(model));
      }),
  },
  {
    name: 'check',
    description:
      'Checks the config, all definitions and their tests, statements included, and lists problems with their places and fixes. With ' +
      '`files`, texts take the place of files (or are added to them), so that definitions can be checked before they are written.',
    schema: createArguments({
      files: {
        type: 'array',
        description: 'Files that are not written yet.',
        maxItems: 50,
        items: createArguments(
          {
            file: createTextSchema('Relative to the working folder: definitions/a.resource.json.', 1024),
            text: createTextSchema('The whole text.', 524_288),
          },
          ['file', 'text'],
        ),
      },
    }),
    run: async ({ files = [] }, { options, terminal }) => {
      const { cwd, env } = terminal;
      const overlay = new Map((files as readonly DefinitionText[]).map(({ file, text }) => [file, text]));
      const wrong = [...overlay.keys()].find((file) => !isDefinitionFile(file));
      if (wrong !== undefined)
        return createFailure(
          `"${wrong}" is no definition: write a relative path that ends in .json, such as definitions/a.json.`,
        );
      const project = { ...(await loadProject(cwd, options.config, env, false, options.trust)), tests: true, overlay };
      const { config } = project;
      const checked = config === null ? null : await checkOnScratch(project, config);
      const problems = checked?.problems ?? project.configProblems;
      const documents = addConfigDocument(project, checked?.analysis.documents);
      const left = project.unrun === null ? '' : `\nPlugins of the project were not run (see --trust of lintel mcp).`;
      const text = formatProblems(problems, documents, (_, plain) => plain, {
        acknowledged: checked?.analysis.acknowledged,
        nameOf: undefined,
      });
      return { text: `${text}${left}`, isError: hasErrors(problems) };
    },
  },
  {
    name: 'plan',
    description:
      'The compiled plan of a resource: its steps in order, statements, transactions, readers and guards. Only of a project without errors.',
    schema: createArguments({ resource: createTextSchema('Id or path of a resource.', 1024) }, ['resource']),
    run: ({ resource }, context) => runWords(context, ['plan', '--format=json'], [asText(resource)], PLAN_TIME),
  },
  {
    name: 'test',
    description:
      'Runs the test files (`*.test.json`) of the project on stores in memory; other services are stood in for. With `filter`, only ' +
      'cases with that text in their names; with `place`, those of a file or folder.',
    schema: createArguments({
      filter: createTextSchema('Text in the names of cases.'),
      place: createTextSchema('A test file or a folder.', 1024),
    }),
    run: ({ filter, place }, context) => {
      const options = ['test', '--reporter=json', ...(typeof filter === 'string' ? [`--filter=${filter}`] : [])];
      return runWords(context, options, typeof place === 'string' ? [place] : [], TEST_TIME);
    },
  },
];

interface DefinitionText {
  readonly file: string;
  readonly text: string;
}

const isDefinitionFile = (file: string): boolean =>
  file.endsWith('.json') && !isAbsolute(file) && !file.split(/[/\\]/).includes('..');

const readText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Without code of its plugins, unless they are trusted. */
async function withProject(
  { options, terminal }: ToolContext,
  use: (project: Project) => string | Promise<string>,
): Promise<Answer> {
  let reason = '';
  const stderr = new Writable({
    write(text: Buffer, _encoding, done) {
      reason += text.toString('utf8');
      done();
    },
  });
  const project = await loadTrustedProject('mcp', 'manifests', options, { ...terminal, stderr });
  return project === null ? createFailure(reason.trim()) : createSuccess(await use(project));
}

/** `places`: what is never an option, whatever it starts with. */
async function runWords(
  { options: { config, trust }, terminal, signal }: ToolContext,
  options: readonly string[],
  places: readonly string[],
  milliseconds: number,
): Promise<Answer> {
  const common = [...(config === undefined ? [] : [`--config=${config}`]), ...(trust ? ['--trust'] : [])];
  const words = [...options, ...common, '--', ...places];
  const { code, text } = await runCommand(terminal, { words, milliseconds, signal });
  return { text, isError: code !== 0 };
}

/** A sentence about the first wrong argument, or null. Covers the part of JSON Schema that the tools use. */
export function findArgumentError(schema: JsonObject, value: unknown, name = 'arguments'): string | null {
  const { type, properties, required, items, maxLength, maxItems } = schema;
  if (type === 'string') {
    if (typeof value !== 'string') return `"${name}" must be text.`;
    return value.length > Number(maxLength) ? `"${name}" must have at most ${Number(maxLength)} characters.` : null;
  }
  if (type === 'array') {
    if (!Array.isArray(value)) return `"${name}" must be a list.`;
    if (value.length > Number(maxItems)) return `"${name}" must have at most ${Number(maxItems)} entries.`;
    const each = (value as readonly unknown[]).map((one, i) =>
      findArgumentError(isObject(items) ? items : {}, one, `${name}.${i}`),
    );
    return each.find((error) => error !== null) ?? null;
  }
  if (!isObject(value)) return `"${name}" must be an object.`;
  const known = isObject(properties) ? properties : {};
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(known, key)) continue;
    const near = findNearest(key, Object.keys(known));
    return `"${key}" is no argument here${near === undefined ? '' : `; did you mean "${near}"`}.`;
  }
  const missing = (Array.isArray(required) ? (required as readonly Json[]) : []).find(
    (key) => typeof key === 'string' && !Object.hasOwn(value, key),
  );
  if (typeof missing === 'string') return `"${missing}" is missing.`;
  for (const [key, one] of Object.entries(value)) {
    const own = known[key];
    const error = isObject(own) ? findArgumentError(own, one, key) : null;
    if (error !== null) return error;
  }
  return null;
}
