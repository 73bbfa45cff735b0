/** Checked models as tables: every flag of a column, references by any name of a model, values inside columns, unique sets. */
import { expect } from 'chai';
import type { DataModel } from '../../../language/analysis/model.js';
import type { Registry } from '../../../language/analysis/registry.js';
import { compileTables } from '../../../language/analysis/model-tables.js';
import type { Json } from '../../../contract/json.js';

const TYPES: Readonly<Record<string, object>> = {
  Text: { column: 'text' },
  Number: { column: 'integer' },
  Object: { column: 'json', holds: 'object' },
  Array: { column: 'json', holds: 'array' },
};
const registry = {
  listKinds: () => [{ kind: 'field-type' }],
  plugin: (_kind: string, name: string) => TYPES[name] && { facts: TYPES[name] },
} as unknown as Registry;

const model = (name: string, fields: Readonly<Record<string, object>>, rest: Partial<DataModel> = {}): DataModel =>
  ({
    ...{ name, table: name.slice(1), stores: [], added: [], uniques: [], secrets: new Set(), sound: true },
    fields: Object.entries(fields).map(([field, value]) => ({ name: field, value })),
    ...rest,
  }) as unknown as DataModel;
const compileTable = (one: DataModel, ...others: DataModel[]) =>
  compileTables([one, ...others], registry).get(one.name);
const compileColumn = (value: Readonly<Record<string, Json>>, rest: Partial<DataModel> = {}) =>
  compileTable(model('_note', { field: { type: 'Text', ...value } }, rest))?.columns[0];

const PLAIN = {
  ...{ name: 'field', type: 'text', nullable: false, primaryKey: false, autoIncrement: false, unique: false },
  ...{ index: false, search: false, maxLength: null, references: null, secret: false },
};

describe('columns of a model', () => {
  const flags: readonly (readonly [Readonly<Record<string, Json>>, object])[] = [
    [{}, {}],
    [{ type: 'Number' }, { type: 'integer' }],
    [{ type: 'Strange' }, { type: 'text' }],
    [{ optional: true }, { nullable: true }],
    [{ primary_key: true }, { primaryKey: true }],
    [{ auto_increment: true }, { autoIncrement: true }],
    [{ unique: true }, { unique: true }],
    [{ indexable: true }, { index: true }],
    [{ fts: true }, { search: true }],
    [{ max_length: 7 }, { maxLength: 7 }],
    [{ max_length: '7' }, {}],
    [{ secret: true }, { secret: true }],
    [{ foreign_key: 'id' }, {}],
    [{ foreign_key: { key: 'id', of: '_other' } }, { references: { table: '_other', column: 'id' } }],
  ];
  for (const [value, expected] of flags)
    it(`${JSON.stringify(value)} sets only ${JSON.stringify(expected)}`, () => {
      expect(compileColumn(value)).to.deep.equal({ ...PLAIN, ...expected });
      const off = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, one === true ? false : one]));
      if (Object.values(value).includes(true)) expect(compileColumn(off)).to.deep.equal(PLAIN);
    });

  it('are secret if a definition hashes or encrypts the field', () => {
    expect(compileColumn({}, { secrets: new Set(['field']) })?.secret).to.equal(true);
    expect(compileColumn({}, { secrets: new Set(['other']) })?.secret).to.equal(false);
  });

  it('reference the table of a model by any of its names', () => {
    const user = model('_user', { id: { type: 'Number' } }, { table: 'people' });
    for (const of of ['_user', '_USER', 'user', 'User']) {
      const note = model('_note', { owner: { type: 'Number', foreign_key: { key: 'id', of } } });
      expect(compileTable(note, user)?.columns[0]?.references, of).to.deep.equal({ table: 'people', column: 'id' });
    }
  });

  it('describe objects and lists as deeply as the model does', () => {
    const inner = {
      street: { type: 'Text', optional: true },
      lines: { type: 'Array', property_type: 'Number' },
      odd: 5,
    };
    const holds = compileColumn({ type: 'Object', properties: inner })?.holds;
    expect(holds).to.deep.equal({
      form: 'object',
      fields: [
        { ...PLAIN, name: 'street', nullable: true },
        {
          ...PLAIN,
          name: 'lines',
          type: 'json',
          holds: { form: 'array', items: { ...PLAIN, name: '', type: 'integer' } },
        },
      ],
    });
    expect(compileColumn({ type: 'Object' })?.holds).to.deep.equal({ form: 'object', fields: [] });
    expect(compileColumn({ type: 'Array' })?.holds).to.deep.equal({ form: 'array', items: null });
    expect(compileColumn({ properties: inner })).not.to.have.property('holds');
  });

  it('are followed by timestamps that only statements use', () => {
    const table = compileTable(model('_note', { id: { type: 'Number' } }, { added: ['created_at'] }));
    expect(table?.columns[1]).to.deep.equal({ ...PLAIN, name: 'created_at', type: 'timestamp', nullable: true });
  });
});

describe('tables of models', () => {
  it('contain the valid models, and unique sets whose columns all exist', () => {
    const uniques = [['id'], ['id', 'created_at'], ['id', 'gone']];
    const note = model('_note', { id: { type: 'Number' } }, { added: ['created_at'], uniques });
    const tables = compileTables([note, model('_broken', {}, { sound: false })], registry);
    expect([...tables.keys()]).to.deep.equal(['_note']);
    expect(tables.get('_note')).to.deep.include({ model: '_note', table: 'note', uniques: uniques.slice(0, 2) });
    expect([tables.get('_note'), tables.get('_note')?.columns].every(Object.isFrozen)).to.equal(true);
  });
});
