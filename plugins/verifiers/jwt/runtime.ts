/** Tokens are judged by the same tool that judges access tokens, with a key of their own. */
import { asText } from '../../../kernel/contract/json.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { token, TokenRefused } from '../../kinds/token.js';
import { tokenReader } from '../../kinds/token-header.js';
import { verifier, type Verify, type Verdict } from '../../kinds/verifier.js';
import { headerOf, secretOf } from '../shared/settings.js';

/** What is no refusal of a token is an accident, and must not look like one. */
function refusal(error: unknown): Verdict {
  if (error instanceof TokenRefused) return { refused: error.reason };
  throw error;
}

export default defineRuntime(verifier, {
  create: ({ resolve }) => ({
    needsBody: false,
    plan(options, tools): Verify {
      const name = headerOf(options, 'header_key', tools);
      const tool = resolve(token, 'JWT').create({
        algorithm: asText(options['algorithm'] ?? 'HS256'),
        key: secretOf(options, tools),
        issues: false,
        place: `"${tools.place}"`,
      });
      const read = tokenReader(name);
      return async (invocation) => {
        try {
          await tool.verify(read(invocation.header(name)), invocation.startedAt);
          return true;
        } catch (error) {
          return refusal(error);
        }
      };
    },
  }),
});
