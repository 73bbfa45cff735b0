/**
 * An editor shows what `lintel check` reports: the same codes, positions, messages and related locations, for fixtures
 * of the front end and for the sample, also after the text was invalid for a while.
 */
import { expect } from 'chai';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiagnosticSeverity, HoverRequest, type Diagnostic } from 'vscode-languageserver-protocol';
import type { Problem, Severity } from '../../contract/problem.js';
import { loadProject } from '../../plugins/distribution.js';
import { loadDefinitions } from '../../language/project/project.js';
import { MODEL, SETTINGS } from '../support/checked-settings.js';
import { runCli } from '../support/cli.js';
import { openEditor, type Editor } from '../support/editor-pair.js';
import { listCaseNames, CONFIG, DEFINITIONS, readFiles } from '../support/fixtures.js';
import { defineReturnResource, ROOT } from '../support/project.js';
import { sampleCases } from '../support/sample.js';

/** The variables that fixtures count on. */
const ENV = [
  'EXAMPLE_KEY=example-key',
  'FIELD_KEY="thirty-two letters for one key.."',
  `JWT_SECRET_KEY=${'j'.repeat(64)}`,
  `GUEST_KEY=${'g'.repeat(32)}`,
  'SHORT_TOKEN_KEY="nineteen characters"',
  'BLANK_KEY=" \t"',
  'SHORT_KEY=kéy',
  '',
].join('\n');
const SAMPLE = 'the-sample';

const SEVERITIES: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  hint: DiagnosticSeverity.Information,
};

/** A project in a folder of the editor's: its files with their texts, by name in the workspace. */
interface Case {
  readonly name: string;
  readonly folder: string;
  readonly files: ReadonlyMap<string, string>;
}

interface Row {
  readonly code: unknown;
  readonly severity: unknown;
  readonly message: unknown;
  readonly range: unknown;
  readonly related: readonly unknown[];
}

describe('language server: diagnostics', function () {
  let editor: Editor;
  const cases: Case[] = [];
  const expected = new Map<string, { rows: ReadonlyMap<string, readonly Row[]>; configFailed: boolean }>();

  before(async () => {
    editor = await openEditor();
    for (const name of sampleCases('editor', 'parity', listCaseNames(), 50))
      cases.push(putFixture(editor.folder, name));
    cases.push(putSample(editor.folder));
    for (const one of cases) {
      expected.set(one.name, await checked(one, editor));
    }
  });
  after(() => editor.close());

  /** Opens every file in this form; resolves after the last one was checked. */
  async function compareTyped(form: (text: string) => string): Promise<void> {
    for (const { files } of cases) for (const [name, text] of files) editor.open(name, form(text));
    await collectDiagnostics();
    // Diagnostics of other files in the same round arrive before the response.
    await editor.client.sendRequest(HoverRequest.type, {
      textDocument: { uri: editor.toUri(`${SAMPLE}/${CONFIG}`) },
      position: { line: 0, character: 0 },
    });
  }

  function compare(one: Case, reported: ReadonlyMap<string, readonly Diagnostic[]>): void {
    const { rows, configFailed } = expected.get(one.name) ?? { rows: new Map<string, Row[]>(), configFailed: false };
    for (const name of one.files.keys()) {
      // The command stops at a config with errors; an editor continues with the last valid one.
      if (configFailed && !name.endsWith(CONFIG)) continue;
      expect(reported.get(name)?.map(toRow), `${one.name}: ${name}`).to.deep.equal(rows.get(editor.toUri(name)) ?? []);
    }
  }

  const collectDiagnostics = async (): Promise<Map<string, readonly Diagnostic[]>> => {
    const reported = new Map<string, readonly Diagnostic[]>();
    for (const { files } of cases) for (const name of files.keys()) reported.set(name, await editor.diagnostics(name));
    return reported;
  };

  it('are those of `lintel check`, for fixtures and for the sample', async () => {
    await compareTyped((text) => text);
    const reported = await collectDiagnostics();
    for (const one of cases) compare(one, reported);
    const rows = [...expected.values()].flatMap((found) => [...found.rows.values()].flat());
    expect(rows.length).to.be.greaterThan(cases.length);
  });

  it('are the same after every text was invalid for a while', async () => {
    await compareTyped((text) => `${text.slice(0, Math.floor(text.length / 2))}"`);
    await compareTyped((text) => text);
    const reported = await collectDiagnostics();
    for (const one of cases) compare(one, reported);
  });
});

/** What only compiling finds, in a process of its own. */
describe('language server: errors that stop a start', function () {
  const FILE = 'definitions/all.json';
  const VALID = JSON.stringify([MODEL, defineReturnResource('one', 1)]);

  it('are reported as by `lintel check`, after the diagnostics, and while a text is typed', async () => {
    const editor = await openEditor({ files: { [FILE]: VALID }, database: true, pause: 0 });
    try {
      const codes = (all: readonly Diagnostic[]): unknown[] => all.map(({ code }) => code);
      editor.open(CONFIG, '{}');
      editor.open(FILE, VALID);
      expect(codes(await editor.diagnostics(FILE))).to.deep.equal([]);
      for (const { what, code, resource = defineReturnResource('one', 1), env = {}, config = {} } of SETTINGS) {
        const all = JSON.stringify([MODEL, resource]);
        const variables = Object.entries(env).map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
        const set = {
          '.env': variables.join('').replaceAll('\\n', '\n'),
          [CONFIG]: JSON.stringify(config),
          [FILE]: all,
        };
        await editor.write(set);
        const { stdout } = await runCli(['check', '--format', 'json'], { cwd: editor.folder });
        const rows = JSON.parse(stdout) as Problem[];
        expect(rows.filter(({ severity }) => severity === 'error').map((row) => row.code)).to.deep.equal([code]);
        const place = rows.find((row) => row.code === code)?.file ?? '';
        for (const [name, text] of Object.entries(set)) if (name !== '.env') editor.changeDocument(name, text);
        await editor.waitForDiagnostics(place, (found) => codes(found).includes(code));
        for (const name of [CONFIG, FILE]) {
          const expected = rows
            .filter(({ file }) => file === name)
            .map((row) => expectedRow(row, (one) => editor.toUri(one)));
          expect((await editor.diagnostics(name)).map(toRow), `${what}: ${name}`).to.deep.equal(expected);
        }
        // It moves with its definition, and disappears with its text.
        if (place === FILE) {
          editor.changeDocument(FILE, `\n\n${all}`);
          const moved = (await editor.diagnostics(FILE)).find((one) => one.code === code);
          const before = rows.find((row) => row.code === code)?.range.start;
          expect(moved?.range.start).to.deep.equal({ ...before, line: (before?.line ?? 0) + 2 });
        }
        editor.changeDocument(FILE, VALID);
        editor.changeDocument(CONFIG, '{}');
        await editor.waitForDiagnostics(place, (found) => !codes(found).includes(code));
      }
    } finally {
      await editor.close();
    }
  });

  it('are not checked in a folder that is not trusted', async () => {
    const { resource, env = {} } = SETTINGS.find(({ code }) => code === 'OUT_URL') ?? {};
    const all = JSON.stringify([MODEL, resource]);
    const editor = await openEditor({
      ...{ files: { [FILE]: all, '.env': `SETTING=${env['SETTING']}\n` }, database: true, trusted: false, pause: 0 },
    });
    try {
      const before = new Set(listChildren());
      for (const text of [all, VALID, all]) {
        editor.open(FILE, text);
        expect((await editor.diagnostics(FILE)).map(({ code }) => code)).to.not.include('OUT_URL');
      }
      // A process of an earlier test may end meanwhile.
      expect(listChildren().filter((id) => !before.has(id))).to.deep.equal([]);
    } finally {
      await editor.close();
    }
  });
});

const listChildren = (): string[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);

function putFixture(root: string, name: string): Case {
  const folder = join(root, name);
  mkdirSync(join(folder, 'definitions'), { recursive: true });
  writeFileSync(join(folder, '.env'), ENV);
  const files = new Map<string, string>();
  const config = readFiles(join(DEFINITIONS, name)).find(({ file }) => file === CONFIG);
  writeFileSync(join(folder, CONFIG), config?.text ?? '{}');
  if (config !== undefined) files.set(`${name}/${CONFIG}`, config.text);
  for (const { file, text, unreadable } of readFiles(join(DEFINITIONS, name))) {
    if (file === CONFIG) continue;
    cpSync(join(DEFINITIONS, name, file), join(folder, 'definitions', file));
    // An editor does not show what is no text.
    if (unreadable === undefined) files.set(`${name}/definitions/${file}`, text);
  }
  return { name, folder, files };
}

function putSample(root: string): Case {
  const folder = join(root, SAMPLE);
  cpSync(join(ROOT, 'definitions'), join(folder, 'definitions'), { recursive: true });
  for (const name of [CONFIG, '.env.example']) cpSync(join(ROOT, name), join(folder, name));
  const names = readdirSync(join(folder, 'definitions'), { recursive: true, encoding: 'utf8' });
  const files = [
    'lintel.config.json',
    ...names.filter((name) => name.endsWith('.json')).map((name) => `definitions/${name}`),
  ];
  const texts = files.map((name) => [`${SAMPLE}/${name}`, readFileSync(join(folder, name), 'utf8')] as const);
  return { name: SAMPLE, folder, files: new Map(texts) };
}

/** What the command would print, by address of the file. */
async function checked({ folder, name }: Case, editor: Editor) {
  // As the command does: test files are checked too.
  const project = { ...(await loadProject(folder, undefined, process.env)), tests: true };
  const loaded = project.config === null ? null : await loadDefinitions(project, project.config);
  const rows = new Map<string, Row[]>();
  const toCaseUri = (file: string): string => editor.toUri(`${name}/${file}`);
  for (const problem of loaded?.problems ?? project.configProblems) {
    const uri = toCaseUri(problem.file);
    rows.set(uri, [...(rows.get(uri) ?? []), expectedRow(problem, toCaseUri)]);
  }
  return { rows, configFailed: project.config === null };
}

const expectedRow = ({ code, severity, message, range, related }: Problem, uriOf: (file: string) => string): Row => ({
  code,
  severity: SEVERITIES[severity],
  message,
  range,
  related: related.map((one) => ({ message: one.message, location: { uri: uriOf(one.file), range: one.range } })),
});

const toRow = ({ code, severity, message, range, relatedInformation = [] }: Diagnostic): Row => ({
  code,
  severity,
  message,
  range,
  related: relatedInformation,
});
