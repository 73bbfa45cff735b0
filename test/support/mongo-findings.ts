/** Findings of a `mongo_query`, with a model `_user` that has a field of each type; nothing is loaded. */
import { expect } from 'chai';
import type { Json } from '../../contract/json.js';
import type { CheckPlace, Finding } from '../../contract/plugin.js';
import { findNearest } from '../../language/source/suggest.js';
import { checkDocuments } from '../../plugins/queries/mongo/check.light.js';

const COLUMNS: Readonly<Record<string, string>> = {
  S: 'text',
  I: 'integer',
  F: 'float',
  B: 'boolean',
  T: 'timestamp',
  J: 'json',
};
type Field = Readonly<Record<string, Json>>;
const FIELDS: Readonly<Record<string, Field>> = {
  id: { type: 'S', primary_key: true },
  name: { type: 'S' },
  age: { type: 'I', optional: true },
  rate: { type: 'F', optional: true },
  on: { type: 'B', default: false },
  at: { type: 'T', optional: true },
  tags: { type: 'J', optional: true },
  home: { type: 'J', optional: true, properties: { city: { type: 'S' }, geo: { type: 'J' } } },
  n: { type: 'I', auto_increment: true },
};

export function collectDocumentFindings(value: Field, models: readonly string[] = ['_user']): Finding[] {
  const holder = { id: 1 };
  const action = {
    index: 0,
    models,
    names: Object.keys(FIELDS),
    fields: new Map(Object.entries(FIELDS)),
    fieldsOf: (table: string) =>
      table === '_user' && models.includes('_user')
        ? { model: '_user', names: Object.keys(FIELDS), fields: new Map(Object.entries(FIELDS)) }
        : null,
    uniques: new Set<string>(),
  };
  const getFact = (_kind: string, name: string): Field | undefined =>
    COLUMNS[name] === undefined ? undefined : { column: COLUMNS[name] };
  const place = {
    value,
    holder,
    root: { actionables: [holder] },
    actions: [action],
    facts: getFact,
    nearest: findNearest,
  };
  return checkDocuments(place as unknown as CheckPlace);
}

/** Code, place, and the text that is offered instead; the part of the query is left out of the place. */
export const formatFindings = (part: string, json: Json, more: Field = {}): string[] =>
  collectDocumentFindings({ collection: '_user', action: 'X', [part]: json, ...more }).map(({ code, at, fix }) => {
    const text = fix !== undefined && 'text' in fix && fix.text !== undefined ? ` -> ${fix.text}` : '';
    return `${code} ${at.replace(`/${part}`, '')}${text}`;
  });

export type Row = readonly [json: Json, expected: readonly string[]];
export function describeRows(title: string, part: string, all: readonly Row[], more: Field = {}): void {
  describe(title, () => {
    for (const [json, expected] of all)
      it(JSON.stringify(json), () => expect(formatFindings(part, json, more)).to.deep.equal(expected));
  });
}

export const createValidRows = (...all: readonly Json[]): Row[] => all.map((json) => [json, []]);
