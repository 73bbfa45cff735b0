/** Kind `inspector`: computes a property of an uploaded file, only where a definition requests it. */
import type { Requester } from '../../contract/requester.js';
import type { Json } from '../../contract/json.js';
import { defineKind } from '../../contract/kind.js';
import type { UploadedFile } from '../../contract/plan.js';
import { wrapInActionable } from '../shared/examples.light.js';

export interface Inspector {
  /** `type`: detected from the bytes. Null where nothing is found; never rejects because of the content. */
  inspect(file: UploadedFile, type: string, requester?: Requester): Promise<Json>;
}

export const inspector = defineKind<Inspector>({
  kind: 'inspector',
  title: 'File inspector',
  summary: 'A result field of an upload that is computed from the content of the file.',
  slots: [],
  select: { by: 'name' },
  facts: {
    types: { doc: 'Media types that it can read.', type: 'list', required: true },
  },
  handle: ['inspect'],
  host: (fragment) => ({
    ...wrapInActionable({ returnables: [fragment] }, { mode: 'UPLOAD', uploads: { allowed_mimetypes: ['image/*'] } }),
    at: '/actionables/1/returnables/0',
  }),
});
