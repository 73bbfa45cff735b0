/** Checks of updates, pipelines and the other parts of a `mongo_query`, and of placeholders. */
import { expect } from 'chai';
import type { Json } from '../../../contract/json.js';
import {
  collectDocumentFindings,
  createValidRows,
  describeRows,
  formatFindings,
} from '../../support/mongo-findings.js';

describe('checks of other parts of document queries', () => {
  describeRows('updates', 'update_predicate', [
    ...createValidRows(
      ...[
        { $set: { name: 'x' } },
        { $inc: { age: 1 } },
        { $inc: { tags: 1 } },
        { $mul: { rate: 1.5 } },
        { $push: { tags: 'x' } },
        { $unset: { age: '' } },
      ],
      ...[
        { $push: { tags: { $each: [1], $slice: 2, $position: 0, $sort: 1 } } },
        { $pull: { tags: { $gt: 1 } } },
        { $pull: { tags: 5 } },
        { $pullAll: { tags: [1] } },
      ],
      ...[
        { $bit: { age: { and: 1, or: 2, xor: 3 } } },
        { $setOnInsert: { id: 'x', _id: 'y' } },
        [{ $set: { name: '$age' } }],
        { $inc: { age: '$PAYLOAD.x' } },
      ],
    ),
    [{}, ['DOC_REPLACE ']],
    [{ name: 'x' }, ['DOC_REPLACE ']],
    ['x', ['DOC_OPERAND ']],
    [{ $set: {} }, ['DOC_NOTHING /$set']],
    [{ $set: 1 }, ['DOC_OPERAND /$set']],
    [{ $set: { id: 'x' } }, ['DOC_KEY /$set/id']],
    [{ $set: { _id: 'x' } }, ['DOC_ID /$set/_id']],
    [{ $set: { name: 5 } }, ['DOC_TYPE /$set/name']],
    [{ $set: { name: 'x' }, age: 1 }, ['DOC_PLACE /age']],
    [{ $sett: { name: 'x' } }, ['DOC_OPERATOR /$sett -> "$set"']],
    [{ $set: { $inc: 1 } }, ['DOC_OPERATOR /$set/$inc']],
    [{ $inc: { name: 1 } }, ['DOC_NOT_NUMERIC /$inc/name']],
    [{ $inc: { at: 1 } }, ['DOC_NOT_NUMERIC /$inc/at']],
    [{ $inc: { age: '1' } }, ['DOC_OPERAND /$inc/age']],
    [{ $push: { name: 'x' } }, ['DOC_NO_LIST /$push/name']],
    [{ $addToSet: { age: 1 } }, ['DOC_NO_LIST /$addToSet/age']],
    [{ $push: { tags: { $foo: 1, $each: [] } } }, ['DOC_OPERATOR /$push/tags/$foo']],
    [{ $push: { tags: { $each: 1 } } }, ['DOC_OPERAND /$push/tags/$each']],
    [{ $bit: { age: { nand: 1 } } }, ['DOC_OPERATOR /$bit/age/nand -> "and"']],
    [{ $bit: { age: { and: 'x' } } }, ['DOC_OPERAND /$bit/age/and']],
    [{ $unset: { age: '$PAYLOAD.x' } }, ['DOC_CONSTANT /$unset/age']],
    [{ $set: { 'tags.$[t]': 1 } }, ['DOC_FILTER /$set/tags.$[t]']],
    [{ $set: { home: 1 }, $inc: { 'home.geo': 1 } }, ['DOC_TWICE /$inc/home.geo']],
    [{ $set: { 'home.geo': 1 }, $unset: { home: '' } }, ['DOC_TWICE /$unset/home']],
    [{ $set: { age: 1 }, $inc: { age: 1 } }, ['DOC_TWICE /$inc/age']],
    [{ $set: { rate: 1 }, $inc: { age: 1 } }, []],
    [[{ $match: {} }], ['DOC_PLACE /0/$match']],
  ]);
  it('elements selected by `array_filters` are recognized', () => {
    expect(
      formatFindings('update_predicate', { $set: { 'tags.$[t].x': 1 } }, { array_filters: [{ 't.k': 1 }] }),
    ).to.deep.equal([]);
    expect(
      formatFindings('update_predicate', { $set: { 'tags.$[t].x': 1 } }, { array_filters: [{ u: 1 }] }),
    ).to.have.lengthOf(1);
  });

  describeRows('pipelines', 'pipeline', [
    ...createValidRows(
      ...[
        [{ $match: { name: 'x' } }],
        [{ $group: { _id: '$name', n: { $sum: 1 } } }],
        [{ $sort: { age: 1 } }],
        [{ $unwind: '$tags' }],
        [{ $unwind: { path: '$tags' } }],
      ],
      ...[
        [{ $group: { _id: null, n: { $sum: 1 } } }, { $match: { n: 1 } }],
        [{ $addFields: { made: 1 } }, { $sort: { made: 1 } }],
        [{ $unset: ['age'] }],
        [{ $sample: { size: 3 } }],
      ],
      ...[
        [{ $lookup: { from: 'x', as: 'found', pipeline: [{ $match: { any: 1 } }] } }, { $unwind: '$found' }],
        [{ $facet: { a: [{ $limit: 1 }] } }],
      ],
    ),
    ['x', ['DOC_OPERAND ']],
    [['x'], ['DOC_OPERAND /0']],
    [[{}], ['DOC_OPERAND /0']],
    [[{ $limit: 1, $skip: 1 }], ['DOC_OPERAND /0']],
    [[{ $mach: {} }, { $match: { zzzzzz: 1 } }], ['DOC_OPERATOR /0/$mach -> "$match"']],
    [[{ $out: 'x' }], ['DOC_REFUSED /0/$out']],
    [[{ $group: { n: { $sum: 1 } } }], ['DOC_GROUP /0/$group']],
    [[{ $group: { _id: null } }, { $match: { n: 1 } }], ['DOC_FIELD /1/$match/n']],
    [[{ $group: 'x' }], ['DOC_OPERAND /0/$group']],
    [[{ $match: { zzzzzz: 1 } }], ['DOC_FIELD /0/$match/zzzzzz']],
    [[{ $sort: { nam: 1 } }], ['DOC_FIELD /0/$sort/nam -> "name"']],
    [[{ $sort: { age: '$PAYLOAD.x' } }], ['DOC_CONSTANT /0/$sort/age']],
    [[{ $unset: 'nam' }], ['DOC_FIELD /0/$unset -> "name"']],
    [[{ $unset: ['age', 'nam'] }], ['DOC_FIELD /0/$unset/1 -> "name"']],
    [[{ $unwind: '$tag' }], ['DOC_FIELD /0/$unwind -> tags']],
    [[{ $unwind: { path: '$tag' } }], ['DOC_FIELD /0/$unwind/path -> tags']],
    [[{ $limit: 'x' }], ['DOC_OPERAND /0/$limit']],
    [[{ $sample: { sise: 3 } }], ['DOC_OPERATOR /0/$sample/sise -> "size"']],
    [[{ $sample: 3 }], ['DOC_OPERAND /0/$sample']],
    [[{ $facet: [] }], ['DOC_OPERAND /0/$facet']],
    [[{ $facet: { a: [{ $match: { zzzzzz: 1 } }] } }], ['DOC_FIELD /0/$facet/a/0/$match/zzzzzz']],
    [[{ $lookup: { form: 'x' } }], ['DOC_OPERATOR /0/$lookup/form -> "from"']],
    [[{ $project: { v: { $nothing: 1 } } }], ['DOC_OPERATOR /0/$project/v/$nothing']],
  ]);

  describeRows('projections', 'projection', [
    ...createValidRows(
      { name: 1, age: 1 },
      { name: 0, _id: 1 },
      { name: true, _id: false },
      { tags: { $slice: 2 } },
      { made: { $add: ['$age', 1] } },
    ),
    ['x', ['DOC_OPERAND ']],
    [{ nam: 1 }, ['DOC_FIELD /nam -> "name"']],
    [{ name: 1, age: 0 }, ['DOC_MIXED /age']],
    [{ name: false, age: true }, ['DOC_MIXED /age']],
    [{ made: '$agee' }, ['DOC_FIELD /made -> age']],
    [{ tags: { $slice: '$PAYLOAD.x' } }, ['DOC_CONSTANT /tags/$slice']],
  ]);
  describeRows('sorting', 'sort', [
    ...createValidRows({ name: 1, age: -1 }, { score: { $meta: 'textScore' } }),
    [{ nam: 1 }, ['DOC_FIELD /nam -> "name"']],
    [{ age: '$PAYLOAD.x' }, ['DOC_CONSTANT /age']],
    [{ $natural: 1 }, ['DOC_OPERATOR /$natural']],
  ]);
  describeRows('documents', 'document', [
    ...createValidRows({ id: 'x', name: 'y' }, { id: 'x', name: 'y', _id: 'z', updated_at: '$DATETIME' }),
    [[], ['DOC_OPERAND ']],
    ['$PAYLOAD.x', ['DOC_QUERY ']],
    [{ id: 'x' }, ['DOC_NEEDED /collection']],
    [{ id: 'x', nam: 'y' }, ['DOC_FIELD /nam -> "name"']],
    [{ id: 'x', name: 'y', $set: 1 }, ['DOC_PLACE /$set']],
    [{ id: 'x', name: 5 }, ['DOC_TYPE /name']],
  ]);

  it('placeholders have an entry each, and entries a placeholder', () => {
    const checkFilter = (filter: Json, parameters: Json[]): string[] =>
      formatFindings('filter_predicate', filter, { parameters });
    expect(checkFilter({ name: '$1' }, ['x'])).to.deep.equal([]);
    expect(checkFilter({ name: '$0' }, [])).to.deep.equal(['DOC_PARAMETER /name']);
    expect(checkFilter({ name: ['$2', '$1'] }, ['x'])).to.include('DOC_PARAMETER /name/0');
    expect(checkFilter({}, ['x', 'y'])).to.deep.equal([
      'DOC_PARAMETER_UNUSED /parameters/0',
      'DOC_PARAMETER_UNUSED /parameters/1',
    ]);
    expect(checkFilter({ age: '$1' }, ['two words'])).to.deep.equal(['DOC_TYPE /parameters/0']);
    expect(checkFilter({ age: '$1' }, ['age'])).to.deep.equal([]);
  });

  it('a placeholder without an entry gets one, and an entry without a placeholder is removed and later ones renumbered', () => {
    const getFirstFix = (filter: Json, parameters: Json[]): unknown => {
      const [first] = collectDocumentFindings({
        collection: '_user',
        action: 'X',
        filter_predicate: filter,
        parameters,
      });
      return first?.fix;
    };
    expect(getFirstFix({ name: '$1' }, [])).to.deep.equal({
      title: 'add "name" to "parameters"',
      edits: [{ at: '/parameters', add: ['name'] }],
      asks: true,
    });
    expect(getFirstFix({ name: '$3' }, ['x'])).to.equal(undefined);
    expect(getFirstFix({}, ['x'])).to.deep.equal({
      title: 'remove it',
      edits: [{ at: '/parameters', remove: true }],
      asks: true,
    });
    const gone = collectDocumentFindings({
      collection: '_user',
      action: 'X',
      filter_predicate: { tags: ['$1', '$3'] },
      parameters: ['a', 'b', 'c'],
    });
    expect(gone.map(({ fix }) => fix)).to.deep.equal([
      {
        title: 'remove it',
        edits: [
          { at: '/parameters/1', remove: true },
          { at: '/filter_predicate/tags/1', span: [0, 2], text: '$2' },
        ],
        asks: true,
      },
    ]);
  });

  it('fields are not checked if the model is unknown', () => {
    for (const models of [[], ['_a', '_b']])
      expect(
        collectDocumentFindings({ collection: 'x', action: 'X', filter_predicate: { zzzzzz: 1 } }, models),
      ).to.deep.equal([]);
  });
});
