/** Key sizes, duplicates, and columns that cannot hold ciphertext. */
import { asText } from '../../../contract/json.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { isSampleSecret } from '../../../language/strings/sample-secrets.js';
import { BASE64, findBytesFlaw, findCipherKeyFlaw, HEX, findLengthFlaw } from './bytes.light.js';
import { checkCipherColumns, checkEarlierWrites } from './columns.light.js';
import { parseCipherEntries, toJsonObjects, type CheckedEntry } from './entries.light.js';

export function check(place: CheckPlace): Finding[] {
  const entries = parseCipherEntries(place.value);
  return [
    ...entries.flatMap((entry) => [
      ...checkKey(entry, place),
      ...checkNonce(entry, place),
      ...checkAad(entry),
      ...checkCipherColumns(entry, place),
      ...checkResult(entry, place),
      ...checkEarlierWrites(entry, place),
    ]),
    ...checkDuplicates(entries),
  ];
}

function parseVariableName(text: string): string | null {
  const [only] = listAccessors(text);
  return only?.start === 0 && only.end === text.length ? (only.tail[0] ?? null) : null;
}

/** Only the length of a variable is checked; sample secrets are reported elsewhere. */
function checkKey({ algorithm, options, at }: CheckedEntry, { facts, env }: CheckPlace): Finding[] {
  const key = asText(options['key']);
  const bytes = facts('cipher', algorithm)?.keyBytes;
  if (typeof bytes !== 'number') return [];
  const variable = parseVariableName(key);
  const fact = variable === null ? null : env(variable);
  const known = fact === null || fact.blank ? null : findLengthFlaw(fact, bytes);
  const what = listAccessors(key).length > 0 ? known : isSampleSecret(key) ? null : findCipherKeyFlaw(key, bytes);
  return what === null ? [] : [{ code: 'CPH_KEY', at: `${at}/options/key`, params: { place: '`ciphers`', what } }];
}

function checkNonce({ algorithm, options, at }: CheckedEntry, { facts, testing }: CheckPlace): Finding[] {
  const nonce = options['nonce'];
  const bytes = facts('cipher', algorithm)?.nonceBytes;
  if (nonce === undefined || typeof bytes !== 'number') return [];
  const isKnown = listAccessors(asText(nonce)).length === 0;
  const what = !testing ? 'it is the same for every value' : isKnown ? findBytesFlaw(asText(nonce), bytes) : null;
  return what === null ? [] : [{ code: 'CPH_NONCE', at: `${at}/options/nonce`, params: { place: '`ciphers`', what } }];
}

/** Behind a byte prefix, two texts could have the same bytes. */
function checkAad({ options, at }: CheckedEntry): Finding[] {
  const aad = asText(options['aad']);
  const isOpen = listAccessors(aad).length > 0;
  const prefix = [HEX, BASE64].find((one) => aad.startsWith(one));
  const mixed = isOpen && prefix !== undefined ? `behind \`${prefix}\` it needs bytes that are written out` : null;
  const what = isOpen ? mixed : findBytesFlaw(aad, null);
  return what === null ? [] : [{ code: 'CPH_AAD', at: `${at}/options/aad`, params: { place: '`ciphers`', what } }];
}

function checkDuplicates(entries: readonly CheckedEntry[]): Finding[] {
  const named = entries.flatMap(({ encrypts, properties, at }) =>
    properties.map((property, i) => {
      const place = `${at}/properties/${i}`;
      return { id: `${encrypts} ${property}`, property, at: place, without: properties.length === 1 ? at : place };
    }),
  );
  return named
    .filter(({ id }, index) => named.findIndex((other) => other.id === id) < index)
    .map(({ property, at, without }) => ({
      code: 'CPH_TWICE',
      at,
      params: { property },
      fix: { title: `remove "${property}" here`, edits: [{ at: without, remove: true }], asks: true },
    }));
}

/** RETURN and LIST results were never stored. */
function checkResult({ encrypts, properties, at }: CheckedEntry, { holder, root, actions }: CheckPlace): Finding[] {
  if (encrypts) return [];
  const mode = asText(holder['mode']);
  if (mode === 'RETURN' || mode === 'LIST')
    return [{ code: 'CPH_NOTHING_STORED', at: `${at}/operation`, params: { mode } }];
  const index = toJsonObjects(root['actionables']).findIndex(({ id }) => id === holder['id']);
  const answers = actions.find((action) => action.index === index)?.answers ?? null;
  if (answers === null) return [];
  return properties.flatMap((property, i) => {
    const name = property.split('.')[0] ?? property;
    return answers.includes(name) ? [] : [{ code: 'CPH_NOT_SELECTED', at: `${at}/properties/${i}`, params: { name } }];
  });
}
