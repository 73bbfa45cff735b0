/** A decrypted field may be any JSON value, and encryption adds error responses. */
import type { ApiPart, ApiPlace, JsonSchema } from '../../../contract/api.js';
import { asText } from '../../../contract/json.js';
import { ActionPhase } from '../../../contract/slot.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { ANY, mapRows, getProperties } from '../../../contract/forms.js';
import { parseCipherEntries, type CheckedEntry } from './entries.light.js';
import { BEFORE_OTHERS, DEFAULT_ENCODING } from './settings.light.js';

export function describeCiphersApi({ value, facts, repeated }: ApiPlace): ApiPart {
  const entries = parseCipherEntries(value);
  const sealing = entries.filter(({ encrypts }) => encrypts);
  const opening = entries.filter(({ encrypts }) => !encrypts);
  const isBounded = sealing.some(({ options }) => {
    const encoding = asText(options['encoding']) || DEFAULT_ENCODING;
    return facts('encoding', encoding)?.maxBytes !== undefined;
  });
  const names = new Set(opening.flatMap(({ properties }) => properties.map((path) => path.split('.')[0] ?? path)));
  const changeRow = (row: JsonSchema): JsonSchema => relaxDecryptedFields(row, names);
  return {
    repeatable: true,
    ...(names.size > 0 && {
      changes: [{ phase: ActionPhase.CONFIRM, order: BEFORE_OTHERS, change: (forms) => mapRows(forms, changeRow) }],
    }),
    refuses: [
      ...(entries.some(readsAad) ? ['ACC_NOT_TEXT'] : []),
      ...(sealing.length > 0 ? ['CPH_TOO_MANY', 'CPH_NAME', 'VAL_PAYLOAD'] : []),
      ...(sealing.length > 0 && repeated ? ['CPH_ITEMS'] : []),
      ...(isBounded ? ['CPH_TOO_LONG'] : []),
      ...(opening.length > 0 ? ['CPH_OPEN', 'CPH_MANY_ROWS'] : []),
    ],
  };
}

/** `aad` reads the request; a single accessor may be no text. */
const readsAad = ({ options }: CheckedEntry): boolean =>
  listAccessors(asText(options['aad'])).some(({ root }) => root !== 'ENV');

/** The column holds ciphertext, so the decrypted field is any value. */
function relaxDecryptedFields(row: JsonSchema, names: ReadonlySet<string>): JsonSchema {
  const properties = getProperties(row);
  if (properties === null) return row;
  const entries = Object.entries(properties).map(([name, schema]) => [name, names.has(name) ? ANY : schema]);
  return { ...row, properties: Object.fromEntries(entries) as JsonSchema };
}
