/** Reads forms. The parser is loaded with the first form. */
import type { IncomingMessage } from 'node:http';
import type { BodyInput } from '../../../contract/body-format.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { bodyFormat } from '../kind.js';
import { removeStaleSpools } from './spool.js';

export default defineRuntime(bodyFormat, {
  async readBody(request: IncomingMessage, input: BodyInput) {
    const { readForm } = await import('./form.js');
    return readForm(request, input);
  },
  removeLeftovers: () => removeStaleSpools(),
});
