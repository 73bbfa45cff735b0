/** The multipart form or the list of removed keys, and the results. */
import type { ApiPart, ApiPlace, JsonSchema } from '../../../contract/api.js';
import { asText, isObject, type Json } from '../../../contract/json.js';
import { ActionPhase } from '../../../contract/slot.js';
import { createListSchema, createObjectSchema } from '../../../contract/forms.js';
import { parseFolder } from './folder.light.js';
import { DEFAULT_BYTES, DEFAULT_COUNT, MAX_KEYS } from './limits.light.js';

const KEY: JsonSchema = { type: 'string', maxLength: 512 };

export function describeUploadApi({ value }: ApiPlace): ApiPart {
  const uploads = isObject(value['uploads']) ? value['uploads'] : {};
  const folder = asText(uploads['upload_folder']);
  const isOpen = parseFolder(folder).some((part) => typeof part !== 'string' && part.root !== 'ENV');
  const ofFolder = isOpen ? ['UPL_FOLDER_VALUE'] : [];
  return uploads['delete_files'] === true ? describeRemoving(ofFolder) : describeStoring(uploads, ofFolder);
}

function describeStoring(uploads: Readonly<Record<string, Json>>, ofFolder: readonly string[]): ApiPart {
  const most = numberOr(uploads['max_file_uploads'], DEFAULT_COUNT);
  const bytes = numberOr(uploads['max_upload_file_size'], DEFAULT_BYTES);
  const types = Array.isArray(uploads['allowed_mimetypes'])
    ? (uploads['allowed_mimetypes'] as readonly Json[]).map(asText)
    : undefined;
  const files = { doc: formatFilesDoc(most, bytes), most, bytes, ...(types !== undefined && { types }) };
  const stored = createListSchema(createStoredSchema(bytes), { minItems: 1, maxItems: most });
  return {
    files: { files },
    changes: [{ phase: ActionPhase.EXECUTE, change: () => [stored] }],
    refuses: ['UPL_NO_FILE', 'UPL_TYPE_REFUSED', ...ofFolder],
  };
}

const numberOr = (value: Json | undefined, other: number): number => (typeof value === 'number' ? value : other);

const formatFilesDoc = (most: number, bytes: number): string =>
  `${most === 1 ? 'One file' : `1 to ${most} files`} of at most ${bytes} bytes${most === 1 ? '' : ' each'}. ` +
  'Every part with a file counts, whatever its name.';

/** Some storages return a URL path without host. */
const createStoredSchema = (bytes: number): JsonSchema =>
  createObjectSchema({
    storage_key: KEY,
    url: { type: 'string', format: 'uri-reference' },
    dominant_color: { type: ['string', 'null'], pattern: '^#[0-9a-f]{6}$' },
    file_size: { type: 'integer', minimum: 0, maximum: bytes },
    original_file_name: { type: 'string' },
    new_file_name: { type: 'string' },
    file_type: { type: 'string' },
    extension: { type: 'string' },
  });

function describeRemoving(ofFolder: readonly string[]): ApiPart {
  const removed = createObjectSchema({ storage_key: KEY, deleted: { type: 'boolean', const: true } });
  return {
    body: {
      ...createListSchema(KEY, { maxItems: MAX_KEYS }),
      description: 'Storage keys, as the upload answered them.',
    },
    changes: [{ phase: ActionPhase.EXECUTE, change: () => [createListSchema(removed, { maxItems: MAX_KEYS })] }],
    refuses: ['UPL_KEY', ...ofFolder],
  };
}
