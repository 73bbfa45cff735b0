/**
 * Descriptions of names in predicates, updates and stages. The query language's tables define the operators; a test
 * compares both.
 */
import type { MemberNames, NamePlace } from '../../../contract/field-meta.js';
import { STAGE_PLACES } from './stages.light.js';

const query: NamePlace = {
  fields: 'condition',
  words: {
    $and: 'All of the queries in this list match.',
    $or: 'At least one of the queries in this list matches.',
    $nor: 'None of the queries in this list matches.',
    $expr: 'An expression that must be true; `"$name"` in it is a field.',
    $text: 'Search in the fields that the model marks with `fts`: `{"$search": "$PAYLOAD.q"}`.',
    $jsonSchema: 'A JSON Schema that documents must match.',
    $comment: 'A comment for the log of the database.',
  },
  behind: { $and: 'query', $or: 'query', $nor: 'query', $expr: 'expression', $text: 'search' },
};

const condition: NamePlace = {
  words: {
    $eq: 'Equal to the value.',
    $ne: 'Not equal to the value; also documents without the field.',
    $gt: 'Greater than the value.',
    $gte: 'Greater than or equal to the value.',
    $lt: 'Less than the value.',
    $lte: 'Less than or equal to the value.',
    $in: 'Equal to one of the values in this list.',
    $nin: 'Equal to none of the values in this list; also documents without the field.',
    $all: 'A list that has all of these values.',
    $not: 'The condition in this object does not hold.',
    $elemMatch: 'A list of which one element meets all of this.',
    $exists: 'Whether the field is there at all.',
    $type: 'The type of the value: `"string"`, `"number"`, ...',
    $size: 'A list of exactly this many elements.',
    $mod: 'Divided by the first number, the second remains: `[4, 0]`.',
    $regex: 'Text that matches the pattern; a value of a client is searched literally.',
    $options: 'Next to `$regex`: `"i"` ignores case.',
    $bitsAllClear: 'None of these bits is set.',
    $bitsAllSet: 'All of these bits are set.',
    $bitsAnyClear: 'One of these bits is not set.',
    $bitsAnySet: 'One of these bits is set.',
  },
  behind: { $not: 'condition', $elemMatch: 'query' },
};

const search: NamePlace = {
  words: {
    $search: 'The words to look for.',
    $language: 'The language of the words.',
    $caseSensitive: 'Whether capitals count.',
    $diacriticSensitive: 'Whether accents count.',
  },
};

const fields: NamePlace = { fields: '' };

const UPDATES: Readonly<Record<string, string>> = {
  $set: 'Writes these values.',
  $setOnInsert: 'Writes these values only where `upsert` makes a new document.',
  $unset: 'Removes these fields: `{"note": ""}`.',
  $inc: 'Adds these numbers; a negative one is subtracted.',
  $mul: 'Multiplies by these numbers.',
  $min: 'Writes a value where it is less than the one that is there.',
  $max: 'Writes a value where it is greater than the one that is there.',
  $rename: 'Renames these fields.',
  $currentDate: 'Writes the time of the database: `{"seen_at": true}`.',
  $push: 'Puts a value at the end of a list; several with `$each`.',
  $addToSet: 'Puts a value into a list that does not have it yet.',
  $pop: 'Removes the last element of a list, with -1 the first.',
  $pull: 'Removes every element that equals the value or matches the condition.',
  $pullAll: 'Removes every element that equals one of these values.',
  $bit: 'Combines with these bits: `{"flags": {"or": 4}}`.',
};

const PLACES: MemberNames['places'] = {
  query,
  condition,
  search,
  fields,
  update: { words: UPDATES, behind: Object.fromEntries(Object.keys(UPDATES).map((name) => [name, 'fields'])) },
  ...STAGE_PLACES,
};

/** Only the places reachable from `start`. */
function selectReachable(start: string): MemberNames {
  const places: Record<string, NamePlace> = {};
  const visit = (name: string): void => {
    const place = PLACES[name];
    if (place === undefined || places[name] !== undefined) return;
    places[name] = place;
    for (const next of [place.fields ?? '', place.made ?? '', ...Object.values(place.behind ?? {})]) visit(next);
  };
  visit(start);
  return { start, places };
}

export const FILTER_NAMES = selectReachable('query');
export const UPDATE_NAMES = selectReachable('update');
export const STAGE_NAMES = selectReachable('stage');
export const FIELD_NAMES = selectReachable('fields');
export const PROJECTION_NAMES = selectReachable('computed');
