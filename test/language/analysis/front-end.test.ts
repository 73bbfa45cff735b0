/**
 * The front end against fixtures: every case reports exactly the expected problems, to the character. Every code of
 * definitions has a case, messages are complete, and fixes fix their problem.
 */
import { expect } from 'chai';
import type { Json } from '../../../contract/json.js';
import type { Problem } from '../../../contract/problem.js';
import { createAnalyser } from '../../../language/analysis/analyse.js';
import { createDocument } from '../../../language/source/document.js';
import {
  applyFixToFiles,
  listCaseNames,
  resolveExpectedFile,
  readExpectedRows,
  offsetAt,
  collectProblems,
  runFixture,
  createTrialRegistry,
  type Fixture,
} from '../../support/fixtures.js';
import { compareWithFile } from '../../support/expected-file.js';
import { sampleCases } from '../../support/sample.js';

const registry = createTrialRegistry();
const names = listCaseNames();
const fixtures = new Map<string, Fixture>();

function fixture(name: string): Fixture {
  const known = fixtures.get(name) ?? runFixture(name, registry);
  fixtures.set(name, known);
  return known;
}

describe('front end: fixtures', () => {
  for (const name of names) {
    it(name, async () => {
      const rows = JSON.parse(JSON.stringify(fixture(name).rows)) as Json;
      await compareWithFile(resolveExpectedFile(name), rows, 'front-end');
    });
  }

  it('have at least the required number', () => {
    expect(names.length).to.be.at.least(45);
    expect(names.flatMap((name) => readExpectedRows(name)).length).to.be.at.least(60);
  });

  it('report nothing for valid sets', () => {
    const valid = names.filter((name) => name.startsWith('sound-'));
    expect(valid).to.have.length.of.at.least(4);
    for (const name of valid) expect(readExpectedRows(name), name).to.deep.equal([]);
  });
});

describe('front end: codes', () => {
  const seen = new Set<string>();
  const isOfDefinitions = (code: string): boolean =>
    registry.codes[code]?.severity !== undefined && !/^(CFG|PLG|KRN|CLI)_/.test(code);

  before(() => names.forEach((name) => readExpectedRows(name).forEach(({ code }) => seen.add(code))));

  // Reported with databases only: `e2e/cli-check-statements`, `e2e/checked-document-queries` and `e2e/secret-views` have the
  // cases.
  const isOfDatabases = (code: string): boolean => /^(?:SQL_REFUSED|DOC_REJECTED|LNK_SECRET_STORED)$/.test(code);

  it('of definitions all occur in a fixture', () => {
    const missing = Object.keys(registry.codes).filter(
      (code) => isOfDefinitions(code) && !isOfDatabases(code) && !seen.has(code),
    );
    expect(missing, 'add a folder to test/fixtures/definitions').to.deep.equal([]);
  });

  it('of fixtures all exist, as problems of definitions', () => {
    expect([...seen].filter((code) => !isOfDefinitions(code))).to.deep.equal([]);
  });
});

describe('front end: every problem of every fixture', () => {
  const each = (validate: (problem: Problem, name: string) => void): void => {
    for (const name of names)
      for (const problem of fixture(name).problems) validate(problem, `${name}: ${problem.message}`);
  };

  it('has a message with every placeholder filled and no gap', () => {
    each(({ code, message }, name) => {
      expect(message, name).to.match(toPattern(registry.codes[code]?.message ?? ''));
      expect(message, name).not.to.match(/ {2}|undefined|\[object|\bNaN\b|^\s|\s$|""/i);
      // A written text may look like a placeholder of a message.
      if (!code.startsWith('TPL_')) expect(message, name).not.to.match(/\{[a-z]+\}/i);
      expect(message, name).to.match(/[.!?]$/);
      expect(message, name).to.match(/^[^a-z]|^(items_|arr_)?(min|max)(_length)? /);
    });
  });

  it('covers at least one character, except at the end of the file', () => {
    each(({ code, range, file }, name) => {
      const doc = createDocument(file, readFixture(name.split(':')[0] ?? '', file));
      const [start, end] = [offsetAt(doc, range.start), offsetAt(doc, range.end)];
      expect(end, name).to.be.at.most(doc.text.length);
      if (start < end) return;
      expect(code, name).to.match(/^SRC_/);
      expect([start, end], name).to.deep.equal([doc.text.length, doc.text.length]);
    });
  });

  it('disappears when its fix is applied', () => {
    const unread = (list: readonly Problem[]): number => list.filter(({ code }) => code.startsWith('SRC_')).length;
    let count = 0;
    for (const name of sampleCases('edits', 'fixes', names, 60)) {
      const { files, problems } = fixture(name);
      const analyser = createAnalyser(registry);
      for (const problem of problems) {
        if (problem.fix === undefined) continue;
        count++;
        const after = collectProblems(applyFixToFiles(files, problem.fix), registry, analyser);
        const what = `${name}: ${problem.message}`;
        expect(unread(after), `${what}: JSON no more`).to.be.at.most(unread(problems));
        const left = after.filter((other) => sameProblem(other, problem));
        expect(left, what).to.deep.equal([]);
      }
    }
    expect(count).to.be.at.least(15);
  });

  it('is found in any order of files', () => {
    for (const name of sampleCases('edits', 'order', names, 60)) {
      const { files, problems } = fixture(name);
      const codes = (list: readonly Problem[]): string[] => list.map(({ code, severity }) => code + severity).sort();
      expect(codes(collectProblems([...files].reverse(), registry)), name).to.deep.equal(codes(problems));
    }
  });
});

function readFixture(name: string, file: string): string {
  return fixture(name).files.find((source) => source.file === file)?.text ?? '';
}

/** The message as a pattern: `{hint}` may be empty, every other placeholder must have text. */
function toPattern(template: string): RegExp {
  const parts = template.split(/(\{[a-zA-Z]+\})/).map((part) => {
    if (part === '{hint}') return '( [A-Z].+[.?])?';
    return /^\{[a-zA-Z]+\}$/.test(part) ? '.+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 'is');
}

const sameProblem = (a: Problem, b: Problem): boolean =>
  a.code === b.code &&
  a.file === b.file &&
  a.range.start.line === b.range.start.line &&
  a.range.start.character === b.range.start.character &&
  // After a removal, the following text moves to its position.
  (b.fix?.text !== '' || a.message === b.message);
