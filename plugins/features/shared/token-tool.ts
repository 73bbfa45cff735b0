/** The tool that makes and judges the tokens of a resource, as its `tokenize` says. Made at load, with its key. */
import { BootError } from '../../../kernel/contract/boot-error.js';
import { asText, isObject, type Json } from '../../../kernel/contract/json.js';
import { fault } from '../../../kernel/contract/fault.js';
import type { Kind } from '../../../kernel/contract/kind.js';
import type { PlanTools } from '../../../kernel/contract/plan.js';
import { settledText } from '../../../kernel/contract/settled.js';
import { token, TokenRefused, type TokenTool } from '../../kinds/token.js';

type Resolve = <H>(kind: Kind<H>, name: string) => H;

export interface ResourceTokens {
  readonly tool: TokenTool;
  /** `JWT` or another format. */
  readonly type: string;
  readonly settings: Readonly<Record<string, Json>>;
}

/** Throws BootError for a key that cannot be used; `issues`: new tokens will be made. */
export function tokensOf(
  written: Json | undefined,
  issues: boolean,
  tools: PlanTools,
  resolve: Resolve,
): ResourceTokens {
  const settings = isObject(written) ? written : {};
  const place = `"${tools.place}"`;
  const key = settings['encryption_key'];
  if (key === undefined) throw new BootError('TOK_KEY', { place, what: 'there is none' });
  const algorithm = settings['algorithm'];
  const type = asText(settings['type']);
  const tool = resolve(token, type).create({
    algorithm: typeof algorithm === 'string' ? algorithm : null,
    key: settledText(key, tools),
    issues,
    place,
  });
  const { max_length: max } = settings;
  return { tool: typeof max === 'number' ? shorter(tool, max) : tool, type, settings };
}

/** Tools are shared by all who have the same key; what is too long is a matter of the place. */
const shorter = (tool: TokenTool, max: number): TokenTool => ({
  open: (text) => tool.open(text),
  verify(text, now) {
    if (text.length > max) throw new TokenRefused('too long');
    return tool.verify(text, now);
  },
  async issue(claims, life) {
    const made = await tool.issue(claims, life);
    if (made.length > max) throw fault('TOK_UNFIT');
    return made;
  },
});
