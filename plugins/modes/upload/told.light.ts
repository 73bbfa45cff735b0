/** What callers are told about uploads and removals: parts of the form, the body, the rows of the result. Stores nothing. */
import type { ApiChange, ApiPart, ApiPlace, JsonSchema } from '../../../kernel/contract/api.js';
import { asText, isObject, type Json } from '../../../kernel/contract/json.js';
import { ActionPhase } from '../../../kernel/contract/slot.js';
import { listOf, objectOf } from '../../../kernel/schema/forms.js';

export const DEFAULT_COUNT = 5;
export const DEFAULT_BYTES = 10_485_760;
/** Keys that one request may remove. */
export const MAX_KEYS = 1000;

const TEXT: JsonSchema = { type: 'string' };
const STORED: Readonly<Record<string, JsonSchema>> = {
  storage_key: TEXT,
  url: TEXT,
  dominant_color: { type: ['string', 'null'] },
  file_size: { type: 'integer' },
  original_file_name: TEXT,
  new_file_name: TEXT,
  file_type: TEXT,
  extension: TEXT,
};
const REMOVED: Readonly<Record<string, JsonSchema>> = { storage_key: TEXT, deleted: { type: 'boolean' } };

const rows = (columns: Readonly<Record<string, JsonSchema>>): readonly ApiChange[] => [
  { phase: ActionPhase.EXECUTE, change: () => [listOf(objectOf(columns, Object.keys(columns)))] },
];

export function told({ value }: ApiPlace): ApiPart {
  const uploads = isObject(value['uploads']) ? value['uploads'] : {};
  if (uploads['delete_files'] === true) {
    const body = { ...listOf(TEXT), maxItems: MAX_KEYS, description: 'Storage keys, as the upload answered them.' };
    return { body, changes: rows(REMOVED) };
  }
  const most = numberOr(uploads['max_file_uploads'], DEFAULT_COUNT);
  const bytes = numberOr(uploads['max_upload_file_size'], DEFAULT_BYTES);
  const types = uploads['allowed_mimetypes'];
  const listed = Array.isArray(types) ? ` ${types.map((type: Json) => asText(type)).join(', ')}.` : '';
  const doc = `1 to ${most} files of at most ${bytes} bytes each; parts may have any name.${listed}`;
  return { files: { file: { doc, many: true } }, changes: rows(STORED) };
}

const numberOr = (value: Json | undefined, other: number): number => (typeof value === 'number' ? value : other);
