/**
 * Codes and their uses: every code of the catalogue and of the plugins is reported or thrown somewhere, and every code
 * that is reported or thrown has its row. A code without a text, or a text without a code, fails here.
 */
import { expect } from 'chai';
import ts from 'typescript';
import { CATALOGUE } from '../../language/problems/catalogue.js';
import { PROGRAM_CODES } from '../../language/problems/with-program-codes.js';
import { specs } from '../../plugins/index.spec.js';
import { visitNodes, loadSources, getStringText } from '../support/sources.js';

const pluginCodes = Object.assign({}, ...specs.map(({ errors }) => errors ?? {})) as NonNullable<
  (typeof specs)[number]['errors']
>;
const all: typeof CATALOGUE = { ...CATALOGUE, ...PROGRAM_CODES, ...pluginCodes };

const strings = new Set<string>();
/** First arguments of calls that throw or report. */
const reported: string[] = [];
const uses: (Use & { readonly path: string })[] = [];
/** Parsing the sources is slow, so each is parsed once for all tests. */
function readSources(): void {
  for (const source of loadSources('contract', 'language', 'kernel', 'cli', 'language-server', 'plugins')) {
    if (source.path.startsWith('language/problems/') || !/['"`][A-Z]{2,3}_[A-Z0-9_]+['"`]/.test(source.text)) continue;
    visitNodes(source, (node) => {
      const string = getStringText(node);
      if (string !== null) strings.add(string);
      const use = findUse(node);
      if (use !== null) uses.push({ ...use, path: source.path });
      if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return;
      const [first] = node.arguments ?? [];
      if (first === undefined || !ts.isStringLiteralLike(first)) return;
      if (/^(fault|Fault|BootError|.*\.add|report)$/.test(node.expression.getText())) reported.push(first.text);
    });
  }
}

describe('architecture: catalogue', () => {
  before(readSources);

  it('uses every code', () => {
    expect(Object.keys(all).filter((code) => !strings.has(code))).to.deep.equal([]);
  });

  it('contains every code that is thrown or reported', () => {
    const codes = reported.filter((text) => /^[A-Z]{2,3}_/.test(text));
    expect(codes.length).to.be.greaterThan(30);
    expect([...new Set(codes)].filter((code) => !Object.hasOwn(all, code))).to.deep.equal([]);
  });

  it('passes all message parameters of every thrown or reported code', () => {
    let validated = 0;
    const gaps: string[] = [];
    for (const { code, params, path } of uses) {
      const needed = listPlaceholders(all[code]?.message ?? '');
      if (needed.length === 0 || params === 'unknown') continue;
      validated++;
      gaps.push(...needed.filter((name) => !params.includes(name)).map((name) => `${path} ${code} {${name}}`));
    }
    expect(gaps).to.deep.equal([]);
    expect(validated).to.be.greaterThan(20);
  });

  it('has a severity or a status for every row, never both', () => {
    for (const [code, { severity, status }] of Object.entries(all)) {
      expect((severity === undefined) !== (status === undefined), code).to.equal(true);
    }
  });

  it('has a status of a rejection or a failure', () => {
    const statuses = Object.entries(all).flatMap(([code, { status }]) =>
      status === undefined ? [] : [{ code, status }],
    );
    expect(statuses.length).to.be.greaterThan(10);
    for (const { code, status } of statuses) {
      expect(Number.isInteger(status) && status >= 400 && status <= 599, `${code} ${status}`).to.equal(true);
    }
  });

  it('states in whole sentences what is wrong and what to do', () => {
    for (const [code, { title, message, help }] of Object.entries(CATALOGUE)) {
      expect(code).to.match(/^[A-Z]{2,3}_[A-Z0-9_]+$/);
      expect(title, code).to.match(/^[A-Z][^{}]*[^.{}]$/);
      expect(message, code).to.match(/[.!?}]$/);
      expect(help, code).to.match(/[.]$/);
    }
  });
});

/** A placeholder that closes a message is a sentence of its own (`{hint}`) and may be empty. */
const listPlaceholders = (message: string): string[] =>
  [...message.replace(/\. ?\{[a-zA-Z]+\}$/, '.').matchAll(/\{([a-zA-Z]+)\}/g)].map(([, name = '']) => name);

interface Use {
  readonly code: string;
  /** Names that are given; unknown when they are computed. */
  readonly params: readonly string[] | 'unknown';
}

/** `fault('CODE', { ... })`, `new BootError(...)`, `report.add('CODE', spot, { ... })`, or a finding `{ code, params }`. */
function findUse(node: ts.Node): Use | null {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
    const [first, ...rest] = node.arguments ?? [];
    if (first === undefined || !ts.isStringLiteralLike(first) || !Object.hasOwn(all, first.text)) return null;
    const params = node.expression.getText().endsWith('.add') ? rest[1] : rest[0];
    return { code: first.text, params: namesIn(params) };
  }
  if (!ts.isObjectLiteralExpression(node)) return null;
  const code = findValue(node, 'code');
  if (code === undefined || !ts.isStringLiteralLike(code) || !Object.hasOwn(all, code.text)) return null;
  // A finding; counter-examples, issues of a payload and responses name a code too, but without its message.
  const isFinding = ['json', 'pointer', 'headers'].every((name) => findValue(node, name) === undefined);
  return isFinding ? { code: code.text, params: namesIn(findValue(node, 'params')) } : null;
}

function findValue(node: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  const property = node.properties.find((candidate) => candidate.name?.getText() === name);
  return property !== undefined && ts.isPropertyAssignment(property) ? property.initializer : undefined;
}

function namesIn(node: ts.Node | undefined): Use['params'] {
  if (node === undefined) return [];
  if (!ts.isObjectLiteralExpression(node) || node.properties.some(ts.isSpreadAssignment)) return 'unknown';
  return node.properties.map((property) => property.name?.getText() ?? '');
}
