/**
 * Bounds of fields, with values on both sides of each: the message for a literal that does not fit, and the fix. Also
 * comparison of places and names of kinds in messages.
 */
import { expect } from 'chai';
import { number, string } from 'yup';
import { validateScalar, formatKind } from '../../../language/analysis/validate-node.js';
import { createReport, isInside } from '../../../language/analysis/report.js';
import type { SchemaLike } from '../../../contract/plugin-spec.js';
import { foldSchema } from '../../../language/schema/fold.js';
import { createDocument } from '../../../language/source/document.js';
import { createTrialRegistry } from '../../support/fixtures.js';

const registry = createTrialRegistry();

describe('field bounds', () => {
  const doc = { doc: 'A field.' };
  const counted = { ...doc, unit: 'seconds' };
  const CASES: readonly (readonly [
    title: string,
    schema: SchemaLike,
    value: string | number,
    message: string | null,
    fix?: string,
  ])[] = [
    ['least', number().min(2).meta(doc), 2, null],
    ['least', number().min(2).meta(doc), 1, 'at least 2', '2'],
    ['most', number().max(2).meta(counted), 2, null],
    ['most', number().max(1).meta(counted), 3, 'at most 1 second', '1'],
    ['above', number().moreThan(1).meta(doc), 1, 'more than 1'],
    ['above', number().moreThan(1).meta(doc), 1.1, null],
    ['below', number().lessThan(2).meta(counted), 2, 'less than 2 seconds'],
    ['below', number().lessThan(2).meta(doc), 1.9, null],
    ['whole', number().integer().meta(doc), 1.5, 'a whole number', '2'],
    ['whole', number().integer().max(1).meta(doc), 1.5, 'a whole number'],
    ['whole', number().integer().min(2).meta(doc), 1.4, 'a whole number'],
    ['whole', number().integer().min(1).max(2).meta(doc), 1.4, 'a whole number', '1'],
    ['whole', number().integer().moreThan(2).meta(doc), 1.6, 'a whole number'],
    ['whole', number().integer().lessThan(2).meta(doc), 1.6, 'a whole number'],
    ['length', string().min(2).meta(doc), 'a', 'at least 2 characters'],
    ['length', string().max(1).meta(doc), '😀', null],
    ['length', string().max(1).meta(doc), 'ab', 'at most 1 character'],
    ['length', string().length(2).meta(doc), 'abc', 'exactly 2 characters'],
    ['length', string().length(2).meta(doc), 'ab', null],
    ['required', string().required().meta(doc), '', 'empty'],
    ['optional', string().meta(doc), '', null],
    ['values', string().oneOf(['one', 'two']).meta(doc), 'one', null],
    ['values', string().oneOf(['one', 'two']).meta(doc), 'twoo', 'Did you mean "two"?', '"two"'],
    ['values', number().oneOf([1, 2]).meta(doc), 3, '1, 2'],
    ['form', string().matches(/^x+$/).meta(doc), 'xx', null],
    ['form', string().matches(/^x+$/).meta(doc), 'y', '^x+$'],
    [
      'form',
      string()
        .matches(/^x+$/)
        .meta({ ...doc, examples: ['xxx'] }),
      'y',
      'write it like "xxx"',
    ],
    [
      'form',
      string()
        .matches(/^\/[a-z]+$/)
        .meta({ ...doc, examples: ['/a'] }),
      'b',
      'write "/b"',
      '"/b"',
    ],
    [
      'form',
      string()
        .matches(/^[a-z]+$/)
        .meta(doc),
      '$PAYLOAD.name',
      'write "name"',
      '"name"',
    ],
    [
      'form',
      string()
        .matches(/^[a-z.]+$/)
        .meta(doc),
      'items[0].name',
      'write "items.name"',
      '"items.name"',
    ],
    [
      'form',
      string()
        .matches(/^[a-z.]+$/)
        .meta(doc),
      'items.*.name',
      'write "items.name"',
      '"items.name"',
    ],
    [
      'form',
      string()
        .matches(/^\$ENV\.[A-Z]+$/)
        .meta({ ...doc, examples: ['$ENV.KEY'] }),
      'OTHER',
      'write "$ENV.OTHER"',
      '"$ENV.OTHER"',
    ],
    [
      'form',
      string()
        .matches(/^\$ENV\.[A-Z]+$/)
        .meta({ ...doc, examples: ['$ENV.KEY'] }),
      '$CONFIG.OTHER',
      'write "$ENV.OTHER"',
      '"$ENV.OTHER"',
    ],
  ];
  for (const [title, schema, value, message, fix] of CASES) {
    it(`${title}: ${JSON.stringify(value)} ${message === null ? 'fits' : `is reported as "${message}"`}`, () => {
      const report = createReport(registry.codes);
      const spot = { doc: createDocument('a.json', '"x"'), start: 0, end: 3 };
      expect(validateScalar(report, spot, foldSchema(schema, 'x'), '"field"', value, 'value')).to.equal(
        message === null,
      );
      const [row] = report.rows;
      if (message === null) expect(row).to.equal(undefined);
      else expect(row?.message).to.include(message);
      expect(row?.fix?.text).to.equal(fix);
    });
  }

  it('count the items of a list', () => {
    const report = createReport(registry.codes);
    const spot = { doc: createDocument('a.json', '[]'), start: 0, end: 2 };
    const field = foldSchema(number().min(1).integer().meta(doc), 'x');
    expect(validateScalar(report, spot, field, '"list"', 0, 'items')).to.equal(false);
    expect(report.rows[0]?.message).to.include('at least 1 item').and.include('0 items');
    expect(report.rows[0]?.fix).to.equal(null);
  });

  it('print kinds as in the middle of a sentence', () => {
    expect(formatKind(registry, 'field-type')).to.equal('field type');
    expect(formatKind(registry, 'dialect')).to.equal('SQL dialect');
    expect(formatKind(registry, 'none')).to.equal('none');
  });

  it('state whether a range is inside another one', () => {
    const span = (start: number, end: number) => ({ start, end });
    expect([isInside(span(1, 3), span(1, 3)), isInside(span(1, 2), span(0, 3))]).to.deep.equal([true, true]);
    expect([isInside(span(0, 3), span(1, 3)), isInside(span(1, 4), span(1, 3))]).to.deep.equal([false, false]);
  });
});
