/**
 * The reference in the repository against the specs: it is current, nothing is missing in it, its links lead somewhere.
 * `npm run docs` writes it again.
 */
import { expect } from 'chai';
import ts from 'typescript';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { analyseFiles } from '../../../language/analysis/analyse.js';
import { analyseConfig } from '../../../language/analysis/config.js';
import type { EnvFacts } from '../../../language/analysis/checks/accessors.js';
import { HOOK_DOCS, HOOK_NAMES } from '../../../contract/hook-docs.js';
import { COMMANDS, COMMON_OPTIONS } from '../../../cli/commands.js';
import { MARKER, createReferencePages } from '../../../language/export/reference.js';
import { pluginId } from '../../../contract/plugin.js';
import { createBuiltinRegistry, createTrialRegistry } from '../../support/fixtures.js';
import { LANGUAGE_PAGES, pageText } from '../../support/docs-page.js';
import { ROOT } from '../../support/project.js';

const FOLDER = join(ROOT, 'docs', 'reference');
const registry = createBuiltinRegistry();
const pages = createReferencePages({ registry, commands: COMMANDS, commonOptions: COMMON_OPTIONS });
const page = (name: string): string => pages.get(name) ?? '';

/** The addresses of the headings, made as GitHub says it makes them. */
const listHeadings = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(
    ([, words = '']) =>
      `#${words
        .toLowerCase()
        .replace(/[^a-z0-9 _-]/g, '')
        .replaceAll(' ', '-')}`,
  );

/** Definitions and configs on a page that are shown as right. */
const rightOn = (text: string): string[] =>
  [...text.matchAll(/^(.*)\n\n```json\n([^]*?)\n```/gm)].flatMap(([, title = '', json = '']) =>
    /^(Rejected, |For example in )/.test(title) ? [] : [json],
  );

/** The environment is not looked at where nobody knows it: what the page reads counts as set. */
const setFor = (json: string): EnvFacts =>
  new Map([...json.matchAll(/\$ENV\.(\w+)/g)].map(([, name = '']) => [name, parseFact(name)]));
const parseFact = (name: string): { length: number; bytes: number; blank: boolean } => {
  const length = Number(/_([1-9]\d?)$/.exec(name)?.[1] ?? 32);
  return { length, bytes: length, blank: false };
};

describe('reference', () => {
  it('matches the current specs; `npm run docs` updates it', () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
    expect(files.map((name) => name.replaceAll('\\', '/'))).to.have.members([...pages.keys()]);
    const stale = [...pages].filter(([name, text]) => readFileSync(join(FOLDER, name), 'utf8') !== text);
    expect(stale.map(([name]) => name)).to.deep.equal([]);
  });

  it('has a section for every plugin, with its fields, examples and codes', () => {
    for (const spec of registry.plugins.values()) {
      const text = page(`kinds/${spec.kind}.md`);
      expect(text, pluginId(spec)).to.contain(`\n## \`${spec.name}\`\n`).and.contain(spec.summary);
      for (const { title } of spec.examples) expect(text).to.contain(`${title}:`);
      for (const code of Object.keys(spec.errors ?? {})) expect(text).to.contain(`| \`${code}\` |`);
      for (const slot of registry.kind(spec.kind)?.slots ?? []) {
        for (const name of Object.keys(registry.schema(pluginId(spec), slot)?.fields ?? {}))
          expect(text, `${pluginId(spec)}.${name}`).to.contain(`| \`${name}\` |`);
      }
    }
  });

  it('lists every code with its fix, every command with its options, and the sections of the config', () => {
    for (const [code, { help }] of Object.entries(registry.codes)) {
      expect(page('problems.md').split(`\n### \`${code}\`\n`), code).to.have.lengthOf(2);
      expect(page('problems.md')).to.contain(help);
    }
    for (const [name, { options, exits }] of Object.entries(COMMANDS)) {
      expect(page('commands.md')).to.contain(`\n## ${name}\n`);
      expect(exits.length).to.be.greaterThan(0);
      for (const option of options) expect(page('commands.md')).to.contain(`\`--${option.name}`);
    }
    for (const field of ['profile', 'on_problem', 'http.limits.body', 'connections', 'envelope'])
      expect(page('config.md')).to.contain(`| \`${field}\` |`);
  });

  it('contains only examples that pass the front end, as whole files', () => {
    let judged = 0;
    for (const [name, text] of pages) {
      for (const json of rightOn(text)) {
        judged++;
        const isTest = json.includes('"cases":');
        const isConfig = !isTest && !/"(actionables|_\w+)":/.test(json);
        const file = isTest ? 'example.test.json' : 'models.json';
        const found = isConfig
          ? analyseConfig('lintel.config.json', json, registry, setFor(json)).problems
          : analyseFiles([{ file, text: json }], registry, { env: setFor(json) }).problems;
        expect(
          found.filter(({ severity }) => severity === 'error').map(({ code, message }) => `${code} ${message}`),
          `${name}: ${json}`,
        ).to.deep.equal([]);
      }
    }
    expect(judged).to.be.greaterThan(registry.plugins.size);
  });

  it('lists every hook, with an example that compiles against the contract and taps that hook', () => {
    const types = `import type { Registrar } from '../contract/hooks.js';
import { done } from '../contract/reply.js';
import { Stage } from '../contract/slot.js';
void [done, Stage];
`;
    const body = HOOK_NAMES.map(
      (name, i) => `export const tap${i} = (hooks: Registrar): void => {\n${HOOK_DOCS[name].example}\n};`,
    );
    for (const name of HOOK_NAMES) {
      expect(listHeadings(page('hooks.md'))).to.include(`#${name}`);
      expect(HOOK_DOCS[name].example.replace(/\s+/g, '')).to.contain(`hooks.tap('${name}',`);
    }
    const [errors, errorsOfOther] = typeErrors([types + body.join('\n'), `${types}export const x: number = '';`]);
    expect(errors).to.deep.equal([]);
    expect(errorsOfOther).to.have.lengthOf(1);
  });

  it('shows the problem that each counter-example causes', () => {
    const refused = [...pages.values()].flatMap((text) => [...text.matchAll(/^Rejected, (.*)$/gm)]);
    expect(refused.length).to.be.greaterThan(30);
    for (const [line] of refused) expect(line).to.match(/^Rejected, `[A-Z_]+`( at `[^`]+`)?: \S/);
  });

  it('contains only text, and no dead link', () => {
    for (const [name, text] of pages) {
      expect(text.startsWith(MARKER)).to.equal(true);
      expect(text, name).not.to.match(/\[object|undefined|NaN|\| *function/);
      for (const [, target = '', place = ''] of text.matchAll(/\]\(([^)#\s]*\.md)?(#[^)]+)?\)/g)) {
        const there = target === '' ? name : join(dirname(name), target);
        expect(pages.has(there), `${name} -> ${target}`).to.equal(true);
        if (place !== '') expect(listHeadings(page(there)), `${name} -> ${target}${place}`).to.include(place);
      }
    }
  });

  it('contains, in the pages about the language, valid definitions and one error that is real', () => {
    const text = LANGUAGE_PAGES.map(pageText).join('\n');
    const shown = [...text.matchAll(/```json\n([^]*?)```/g)].map(([, json = '']) => json);
    const whole = shown.filter((json) => json.includes('"resource":'));
    expect(whole.length).to.be.greaterThan(0);
    for (const json of whole) {
      const { problems } = analyseFiles([{ file: 'a.json', text: json }], registry, { env: null });
      expect(problems.filter(({ severity }) => severity === 'error')).to.deep.equal([]);
    }
    for (const [, code = ''] of text.matchAll(/"code": "([A-Z_]+)"/g)) expect(registry.codes).to.have.property(code);
  });

  it('includes plugins of any origin', () => {
    const wider = createReferencePages({ registry: createTrialRegistry(), commands: {}, commonOptions: [] });
    expect(wider.get('kinds/feature.md'))
      .to.contain('## `trial_feature`')
      .and.contain('`trial.letters` | list of text');
    expect(wider.get('kinds/feature.md')).to.contain('at least 2 items; at most 3 items');
    expect(wider.get('kinds/feature.md')).to.contain('**Deprecated**: use "name".');
    expect(wider.get('kinds/query.md')).to.contain('## `trial_query`');
  });
});

/** What the compiler says of each text, as if it were a file among the tests. */
function typeErrors(texts: readonly string[]): string[][] {
  const files = new Map(texts.map((text, at) => [join(ROOT, 'test', `hooks-of-the-reference-${at}.ts`), text]));
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    // Without those of browsers, which take half a second to read.
    lib: ['lib.es2022.d.ts'],
    types: ['node'],
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    readFile: (name) => files.get(name) ?? disk.readFile(name),
    fileExists: (name) => files.has(name) || disk.fileExists(name),
    getSourceFile: (name, version) => {
      const text = files.get(name);
      return text === undefined ? disk.getSourceFile(name, version) : ts.createSourceFile(name, text, version);
    },
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()].map((file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'),
    );
  });
}
