/**
 * Checks of the filter of a `mongo_query`: operators, operands, fields, literals, and texts intended as something else.
 */
import { createValidRows, describeRows, type Row } from '../../support/mongo-findings.js';

describe('checks of document queries', () => {
  describeRows('operands of filters', 'filter_predicate', [
    ...createValidRows(
      ...[
        { name: { $exists: true } },
        { name: { $exists: false } },
        { name: { $exists: 0 } },
        { name: { $exists: 1 } },
      ],
      ...[
        { name: { $exists: '$PAYLOAD.x' } },
        { tags: { $size: 2 } },
        { tags: { $size: '$PAYLOAD.x' } },
        { name: { $regex: 'x' } },
      ],
      ...[
        { age: { $mod: [2, '$PAYLOAD.x'] } },
        { age: { $in: [1, 2] } },
        { age: { $in: '$PAYLOAD.x' } },
        { age: { $not: { $gt: 1 } } },
      ],
      ...[
        { $or: [{ name: 'x' }] },
        { $and: [{ age: 1 }, { age: { $lt: 3 } }] },
        { $nor: [{ name: 'x' }] },
        { $text: { $search: 'x' } },
      ],
      ...[
        { tags: { $elemMatch: { $gt: 1 } } },
        { tags: { $elemMatch: { any: 1 } } },
        { $expr: { $gt: ['$age', 1] } },
        {},
      ],
      ...[
        { name: { $regex: 'x', $options: 'i' } },
        { age: { $type: 'int' } },
        { $comment: 'x' },
        { 'home.city': 'x' },
        { 'tags.0.x': 1 },
      ],
      ...[
        { _id: 'x' },
        { created_at: '2030-01-31' },
        { updated_at: 1 },
        { deleted_at: null },
        { 'home.geo.any': 1 },
        { 'home.$[].city': 'x' },
      ],
    ),
    [{ name: { $exists: 2 } }, ['DOC_OPERAND /name/$exists']],
    [{ name: { $exists: -1 } }, ['DOC_OPERAND /name/$exists']],
    [{ name: { $exists: 'yes' } }, ['DOC_OPERAND /name/$exists']],
    [{ name: { $exists: null } }, ['DOC_OPERAND /name/$exists']],
    [{ tags: { $size: '2' } }, ['DOC_OPERAND /tags/$size']],
    [{ tags: { $size: 0.5 } }, []],
    [{ tags: { $size: true } }, ['DOC_OPERAND /tags/$size']],
    [{ name: { $regex: 1 } }, ['DOC_OPERAND /name/$regex']],
    [{ age: { $mod: 2 } }, ['DOC_OPERAND /age/$mod']],
    [{ age: { $mod: [2, 'x'] } }, ['DOC_OPERAND /age/$mod']],
    [{ age: { $in: 1 } }, ['DOC_OPERAND /age/$in']],
    [{ age: { $in: [1, 'x'] } }, ['DOC_TYPE /age/$in/1']],
    [{ age: { $not: 1 } }, ['DOC_OPERAND /age/$not']],
    [{ age: { $not: '$PAYLOAD.x' } }, ['DOC_QUERY /age/$not']],
    [{ tags: { $elemMatch: 1 } }, ['DOC_OPERAND /tags/$elemMatch']],
    [{ tags: { $elemMatch: '$PAYLOAD.x' } }, ['DOC_QUERY /tags/$elemMatch']],
    [{ $or: [] }, ['DOC_OPERAND /$or']],
    [{ $or: {} }, ['DOC_OPERAND /$or']],
    [{ $or: '$PAYLOAD.x' }, ['DOC_QUERY /$or']],
    [{ $or: [1] }, ['DOC_OPERAND /$or/0']],
    [{ $text: 'x' }, ['DOC_OPERAND /$text']],
    [{ $text: { $search: 1 } }, ['DOC_OPERAND /$text/$search']],
    [{ $text: { $serach: 'x' } }, ['DOC_OPERATOR /$text/$serach -> "$search"']],
    [{ $text: { $search: 'x', $language: '$PAYLOAD.x' } }, ['DOC_CONSTANT /$text/$language']],
    [{ age: { $type: '$PAYLOAD.x' } }, ['DOC_CONSTANT /age/$type']],
    [{ age: { $type: ['$PAYLOAD.x'] } }, ['DOC_CONSTANT /age/$type/0']],
    ['x', ['DOC_OPERAND ']],
    ['$PAYLOAD.x', ['DOC_QUERY ']],
  ]);

  describeRows('operators of filters', 'filter_predicate', [
    [{ age: { $gtee: 1 } }, ['DOC_OPERATOR /age/$gtee -> "$gte"']],
    [{ age: { $greater: 1 } }, ['DOC_OPERATOR /age/$greater']],
    [{ $gt: 1 }, ['DOC_PLACE /$gt']],
    [{ age: { $or: [] } }, ['DOC_PLACE /age/$or']],
    [{ age: { $set: 1 } }, ['DOC_PLACE /age/$set']],
    [{ age: { $match: 1 } }, ['DOC_PLACE /age/$match']],
    [{ age: { $concat: 1 } }, ['DOC_PLACE /age/$concat']],
    [{ $where: 'x' }, ['DOC_REFUSED /$where']],
    [{ age: { $near: 1 } }, ['DOC_REFUSED /age/$near']],
    [{ age: { $gt: 1, other: 2 } }, ['DOC_PLACE /age/other']],
    [{ home: { city: { $gt: 1 } } }, ['DOC_PLACE /home/city/$gt']],
    [{ $1: 1 }, ['DOC_NAME /$1']],
    [{ age: { $1: 1, $gt: 1 } }, ['DOC_NAME /age/$1']],
    // Accessors as names are reported for all definitions alike.
    [{ '$PAYLOAD.x': 1, age: { '$PAYLOAD.x': 1, $gt: 1 } }, []],
    ...['and', 'or', 'nor', 'AND', 'OR', 'NOR'].map((name): Row => [
      { [name]: [{ age: 1 }] },
      [`DOC_DOLLAR /${name} -> "$${name.toLowerCase()}"`],
    ]),
    ...(
      ['=:$eq', '==:$eq', '===:$eq', '!=:$ne', '<>:$ne', '>:$gt', '>=:$gte', '<:$lt', '<=:$lte'].map((pair) =>
        pair.split(':'),
      ) as [string, string][]
    ).map(([sign, right]): Row => [{ age: { [sign]: 1 } }, [`DOC_DOLLAR /age/${sign} -> "${right}"`]]),
    ...['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'regex', 'elemMatch'].map((name): Row => [
      { age: { [name]: 1 } },
      [`DOC_DOLLAR /age/${name} -> "$${name}"`],
    ]),
    [{ home: { gt: 1, city: 'a' } }, []],
    [{ home: { gt: 1, city: 2 } }, ['DOC_TYPE /home/city']],
    [{ home: {} }, []],
  ]);

  describeRows('fields', 'filter_predicate', [
    [{ nam: 'x' }, ['DOC_FIELD /nam -> "name"']],
    [{ zzzzzz: 'x' }, ['DOC_FIELD /zzzzzz']],
    [{ 'home.cty': 'x' }, ['DOC_FIELD /home.cty -> "home.city"']],
    [{ 'name.first': 'x' }, ['DOC_NO_OBJECT /name.first']],
    [{ 'home.city.x': 5 }, ['DOC_NO_OBJECT /home.city.x']],
    [{ $expr: { $gt: ['$agee', 1] } }, ['DOC_FIELD /$expr/$gt/0 -> age']],
    [{ $expr: { $gt: ['$$agee', '$PAYLOAD.agee'] } }, []],
  ]);

  describeRows('literals', 'filter_predicate', [
    ...createValidRows(
      ...[
        { age: 5 },
        { age: null },
        { rate: 5.5 },
        { rate: 5 },
        { name: '' },
        { on: true },
        { tags: 5 },
        { tags: [1] },
        { age: '$PAYLOAD.x' },
      ],
      ...[
        '2030-01-31',
        '2030-01-31T12:00:00Z',
        '2030-01-31 12:00',
        '2030-01-31T12:00:00.123+02:00',
        '2030-01-31t12:00z',
      ].map((at) => ({ at })),
    ),
    [{ age: 5.5 }, ['DOC_TYPE /age']],
    [{ age: '5' }, ['DOC_TYPE /age']],
    [{ rate: '5' }, ['DOC_TYPE /rate']],
    [{ name: 5 }, ['DOC_TYPE /name']],
    [{ on: 1 }, ['DOC_TYPE /on']],
    ...['31.1.2030', '2030-13-01', '2030-01-31x', 'x2030-01-31', '2030-01-31T12', 5].map((at): Row => [
      { at },
      ['DOC_TYPE /at'],
    ]),
    [{ age: { $gt: 'x' } }, ['DOC_TYPE /age/$gt']],
  ]);

  const HEX = '0123456789abcdef01234567';
  describeRows('texts intended as something else', 'filter_predicate', [
    [{ _id: `ObjectId("${HEX}")` }, [`DOC_CODE /_id -> "${HEX}"`]],
    [{ _id: `new mongoose.Types.ObjectId('${HEX}')` }, [`DOC_CODE /_id -> "${HEX}"`]],
    [{ _id: 'ObjectID( $PAYLOAD.id )' }, ['DOC_CODE /_id -> "$PAYLOAD.id"']],
    [{ _id: 'ObjectId()' }, ['DOC_CODE /_id -> "$GENERATOR.BSON"']],
    [{ _id: 'ObjectId(x)' }, ['DOC_CODE /_id']],
    [{ at: 'ISODate("2030-01-31")' }, ['DOC_CODE /at -> "2030-01-31"']],
    ...[
      'new Date()',
      'NOW()',
      'now',
      'CURRENT_TIMESTAMP',
      'Date.now()',
      'GETDATE()',
      'getdate',
      'moment()',
      'dayjs( )',
      'ISODate()',
    ].map((text): Row => [{ at: text }, ['DOC_CODE /at -> "$DATETIME"']]),
    ...['NumberLong("5")', "NumberInt('5')", 'NumberDecimal(5)', 'Long(5)', 'Int32( 5 )'].map((text): Row => [
      { age: text },
      ['DOC_CODE /age'],
    ]),
    ...[
      'req.body.x',
      'request.params.x',
      'req.query.x',
      'payload.x',
      'body.x',
      '$body.x',
      '$req.body.x',
      '$request.body.x',
    ].map((name): Row => [{ name }, ['DOC_TEXT /name -> "$PAYLOAD.x"']]),
    [{ name: '$payload.x' }, ['TPL_VALUE /name -> "$PAYLOAD.x"']],
    [{ name: { $in: ['$protected.id'] } }, ['TPL_VALUE /name/$in/0 -> "$PROTECTED.id"']],
    [{ name: '$Datetime' }, ['TPL_VALUE /name -> "$DATETIME"']],
    [{ name: '$PAYLOAD.x' }, []],
    [{ name: 'name' }, ['DOC_TEXT /name -> "$PAYLOAD.name"']],
    [{ name: '$name' }, ['DOC_TEXT /name -> "$PAYLOAD.name"']],
    [{ 'home.city': 'city' }, ['DOC_TEXT /home.city -> "$PAYLOAD.city"']],
    [{ name: { $in: ['name'] } }, ['DOC_TEXT /name/$in/0 -> "$PAYLOAD.name"']],
    ...['?', ':name', '@name', '%s'].map((name): Row => [{ name }, ['DOC_TEXT /name -> "$1"']]),
    ...createValidRows(
      ...['nowhere', 'a now', 'body', 'payloads.x', 'my payload.x', 'Name', '??', ':', 'a:b', 'NumberLong(x)'].map(
        (name) => ({ name }),
      ),
    ),
  ]);
});
