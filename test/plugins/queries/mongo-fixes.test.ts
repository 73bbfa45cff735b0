/**
 * Fixes and positions of document query checks: edited text, missing parts of an INSERT, path segments that are not
 * objects.
 */
import { expect } from 'chai';
import type { Json } from '../../../contract/json.js';
import type { Finding } from '../../../contract/plugin.js';
import { collectDocumentFindings } from '../../support/mongo-findings.js';

const listPartFindings = (part: string, json: Json, more: Readonly<Record<string, Json>> = {}): Finding[] =>
  collectDocumentFindings({ collection: '_user', action: 'X', [part]: json, ...more });
const codes = (all: readonly Finding[]): string[] => all.map(({ code, at }) => `${code} ${at}`);

describe('fixes of document queries', () => {
  it('wrap a replacement in "$set", if it has content', () => {
    const [whole] = listPartFindings('update_predicate', { name: 'x' });
    expect(whole?.fix).to.deep.equal({
      title: 'write it in "$set"',
      edits: [{ at: '/update_predicate', within: '$set' }],
      asks: true,
    });
    const [empty] = listPartFindings('update_predicate', {});
    expect([empty?.code, empty?.fix]).to.deep.equal(['DOC_REPLACE', undefined]);
  });

  it('change the name of a field in an expression after its dollar sign', () => {
    const [one] = listPartFindings('filter_predicate', { $expr: { $gt: ['$agee', 1] } });
    expect([one?.span, one?.fix]).to.deep.equal([[1, 5], { title: 'change to "age"', text: 'age' }]);
  });

  it('change one part of a path, and keep the others', () => {
    const [one] = listPartFindings('filter_predicate', { 'home.cty.any': 'x' });
    expect(one?.params).to.deep.equal({ where: '"home"', name: 'cty', hint: ' Did you mean "city"?' });
    expect(one?.fix).to.deep.equal({ title: 'change to "home.city.any"', text: '"home.city.any"' });
  });
});

describe('path of a document query', () => {
  for (const [path, name] of [
    ['name.first', 'name'],
    ['name.first.x', 'name'],
    ['home.city.x', 'home.city'],
    ['home.city.x.y', 'home.city'],
    ['home.$[].city.x', 'home.city'],
  ] as const)
    it(`${path} leads into ${name}, which is not an object`, () => {
      const [one] = listPartFindings('filter_predicate', { [path]: 5 });
      expect([one?.code, one?.params?.['type']]).to.deep.equal(['DOC_NO_OBJECT', 'S']);
      expect(String(one?.params?.['name']).replace('$[].', '')).to.equal(name);
    });
});

describe('INSERT without a document', () => {
  const inserted = (parameters: Json[], more: Readonly<Record<string, Json>> = {}): Finding[] =>
    collectDocumentFindings({ collection: '_user', action: 'INSERT', parameters, ...more });

  for (const [parameters, expected] of [
    [['id', 'name'], []],
    [['$PAYLOAD.id', 'user.name', 'age'], []],
    [['id', 'name', '_id', 'created_at', 'updated_at'], []],
    [['_id', 'id'], ['DOC_NEEDED /collection']],
    [['id'], ['DOC_NEEDED /collection']],
    [['id', 'nam'], ['DOC_FIELD /parameters/1']],
    [['id', 'two words'], ['DOC_ENTRY /parameters/1']],
    [[5, 'id', 'name'], ['DOC_ENTRY /parameters/0']],
    [['$GENERATOR.ULID'], ['DOC_ENTRY /parameters/0']],
  ] as const)
    it(`reports ${expected.join() || 'nothing'} with the parameters ${JSON.stringify(parameters)}`, () => {
      expect(codes(inserted([...parameters]))).to.deep.equal(expected);
    });

  it('is reported with the missing fields, and the position of the name in an accessor', () => {
    expect(inserted(['age'])[0]?.params).to.deep.equal({ model: '_user', fields: '"id", "name"' });
    const [one] = inserted(['id', '$PAYLOAD.nam']);
    expect([one?.span, one?.fix]).to.deep.equal([[9, 12], { title: 'change to "name"', text: 'name' }]);
    expect(inserted(['two words'])[0]?.params).to.deep.equal({ text: '"two words"' });
  });

  it('is not checked by its parameters if it has a document', () => {
    expect(codes(inserted(['x y'], { document: { id: '$1', name: 'y' } }))).to.deep.equal([]);
  });
});
