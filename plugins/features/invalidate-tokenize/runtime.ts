/**
 * Revokes tokens that the resource's own settings verify; other texts are ignored, so that they cannot fill the
 * store. Runs before a new token is issued.
 */
import { createFault } from '../../../contract/fault.js';
import { isObject, type Json } from '../../../contract/json.js';
import type { Frame, Reader, Step } from '../../../contract/plan.js';
import { ResourcePhase } from '../../../contract/slot.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { cache, type Cache } from '../../caches/kind.js';
import { endAtDeadline } from '../../shared/deadline.js';
import { feature } from '../kind.js';
import { TokenRefused, type TokenTool, type VerifiedToken } from '../../tokens/kind.js';
import { createRevocationCheck, createRevocationFlag, type Revoker } from '../shared/revocation.js';
import { createResourceTokens } from '../shared/token-tool.js';
import { MAX_TOKENS } from './limits.light.js';

export default defineRuntime(feature, {
  create: ({ resolve, log }): Revoker => {
    const getStore = (): Cache => resolve(cache, 'cache');
    let reported = false;
    return {
      isRevoked: (verified) => createRevocationCheck(getStore())(verified),
      plan: ({ value, holder }, tools) => {
        const written = isObject(value['invalidate_tokenize']) ? value['invalidate_tokenize'] : {};
        const { tool } = createResourceTokens(holder['tokenize'], false, tools, resolve);
        const tokens = written['tokens'] ?? null;
        const entries = Array.isArray(tokens) ? (tokens as readonly Json[]) : [tokens];
        if (!reported && tools.used('cache:memory')) {
          reported = true;
          log.warn(
            { resource: tools.place },
            'revoked tokens are stored in the memory of this process: after a restart and in other processes they are valid again; ' +
              'use Redis with `"cache": { "use": "redis", "url": "$ENV.REDIS_URL" }`',
          );
        }
        const readers = entries.map((entry) => tools.value(entry));
        const least = Number(written['expires_after'] ?? 0);
        return { steps: [createRevokeStep(getStore(), tool, readers, least, tools.main === null)], answers: true };
      },
    };
  },
});

function createRevokeStep(
  getStore: Cache,
  tool: TokenTool,
  readers: readonly Reader[],
  least: number,
  answers: boolean,
): Step {
  return {
    id: 'invalidate_tokenize',
    phase: ResourcePhase.REPLY,
    order: -1000,
    run: async (frame, state) => {
      const { startedAt } = frame.invocation;
      const marks = new Map<string, ReturnType<typeof createRevocationFlag>>();
      for (const text of readTokens(frame, readers)) {
        const verified = await tryVerify(tool, text, startedAt);
        if (verified === null) continue;
        const mark = createRevocationFlag(verified, startedAt, least);
        marks.set(mark.key, mark);
      }
      if (marks.size > 0) await endAtDeadline(getStore.setFlags([...marks.values()]), frame, 'cache store');
      frame.headers['cache-control'] = 'no-store';
      if (answers) state.result = { invalidated: marks.size };
    },
  };
}

/** One token, with or without the `Bearer` scheme. */
const TOKEN = /^(?:bearer )?([A-Za-z0-9._-]+)$/i;

function readTokens(frame: Frame, readers: readonly Reader[]): string[] {
  const sent = readers.flatMap((read) => read(frame));
  const texts = sent.filter((token) => typeof token === 'string');
  if (texts.length !== sent.length || texts.length > MAX_TOKENS)
    throw createFault('TOK_NOT_TOKENS', { max: MAX_TOKENS });
  return texts.flatMap((text) => TOKEN.exec(text)?.[1] ?? []);
}

/** Null for an invalid token, which needs no revocation. */
async function tryVerify(tool: TokenTool, text: string, now: number): Promise<VerifiedToken | null> {
  try {
    return await tool.verify(text, now);
  } catch (error) {
    if (error instanceof TokenRefused) return null;
    throw error;
  }
}
