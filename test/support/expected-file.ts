/**
 * Files with the expected result of a fixture. A difference is reported row by row, with the command that writes the
 * file again; read every changed line after it.
 */
import { AssertionError } from 'chai';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json } from '../../contract/json.js';
import { formatText } from '../../extension/tools/format.js';
import { ROOT } from './project.js';

export const isUpdating = process.env['UPDATE_FIXTURES'] === '1';

/** `test`: the name that the file of the tests has on the command line. */
export async function compareWithFile(file: string, found: Json, test: string): Promise<void> {
  if (isUpdating) return writeFileSync(file, await formatText(file, `${JSON.stringify(found, null, 2)}\n`));
  const expected = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Json) : undefined;
  if (isDeepStrictEqual(found, expected)) return;
  const lines = expected === undefined ? ['there is no such file'] : listDifferences(expected, found);
  // Without the two values, of which a reporter would print every line.
  throw new AssertionError(
    [
      `${relative(ROOT, file)} (-) is not what is found (+):`,
      ...lines.slice(0, MOST),
      ...(lines.length > MOST ? [`... and ${lines.length - MOST} lines more`] : []),
      `if that is right: UPDATE_FIXTURES=1 npm test -- ${test}`,
    ].join('\n'),
  );
}

const MOST = 40;

/** Rows of lists, and places of objects, that are in only one of the two. */
export function listDifferences(expected: Json, found: Json): string[] {
  if (!Array.isArray(expected) || !Array.isArray(found))
    return formatDifferences(collectLeaves(expected), collectLeaves(found));
  const [gone, added] = [subtractRows(expected, found), subtractRows(found, expected)];
  if (gone.length === 0 && added.length === 0) return ['the same rows in another order'];
  const lines = gone.flatMap((row) => {
    const at = added.findIndex(
      (other) => isObject(row) && isObject(other) && formatRowName(row) === formatRowName(other),
    );
    if (at === -1) return [`- ${JSON.stringify(row)}`];
    const [other = null] = added.splice(at, 1);
    return [
      `  ${formatRowName(row)}`,
      ...formatDifferences(collectLeaves(row), collectLeaves(other)).map((line) => `  ${line}`),
    ];
  });
  return [...lines, ...added.map((row) => `+ ${JSON.stringify(row)}`)];
}

/** The identity of a row: enough to see that it only changed. */
const formatRowName = (row: Json): string =>
  isObject(row) ? ['code', 'file', 'line'].map((key) => JSON.stringify(row[key])).join(' ') : '';

/** Of equal rows as many as there are too many. */
function subtractRows(rows: readonly Json[], others: readonly Json[]): Json[] {
  const left = others.map((row) => JSON.stringify(row));
  return rows.filter((row) => {
    const at = left.indexOf(JSON.stringify(row));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function formatDifferences(expected: ReadonlyMap<string, string>, found: ReadonlyMap<string, string>): string[] {
  const places = [...new Set([...expected.keys(), ...found.keys()])];
  return places
    .filter((place) => expected.get(place) !== found.get(place))
    .flatMap((place) => [
      ...(expected.has(place) ? [`- ${place}: ${expected.get(place)}`] : []),
      ...(found.has(place) ? [`+ ${place}: ${found.get(place)}`] : []),
    ]);
}

/** Everything that holds nothing else, by its place. */
function collectLeaves(json: Json, place = ''): Map<string, string> {
  const members = typeof json === 'object' && json !== null ? Object.entries(json as Record<string, Json>) : [];
  if (members.length === 0) return new Map([[place === '' ? '/' : place, JSON.stringify(json)]]);
  return new Map(members.flatMap(([key, value]) => [...collectLeaves(value, `${place}/${key}`)]));
}
