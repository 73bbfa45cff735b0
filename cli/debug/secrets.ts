/** Masks secrets in what a debugger shows: protected fields, tokens, keys, stored hashes. */
import type { Frame } from '../../contract/plan.js';
import type { StatementText } from '../../contract/statement-text.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import { listSecretNames } from '../../language/analysis/action-secrets.js';
import { buildStoredFormPattern } from '../../language/analysis/conceal-pattern.js';
import { toLexemes } from '../../plugins/queries/sql/text/read.js';
import { createRevealer } from '../../plugins/queries/sql/text/reveal.js';
import { createRedactor, holdsToken } from '../test/redact.js';

export const MASKED = '‹secret›';

export interface SecretMask {
  /** A value under this name is not shown. */
  readonly isSecret: (name: string) => boolean;
  /** Names under which the rows of a statement hold secrets, in lower case. */
  readonly listRevealed: (scan: StatementText) => ReadonlySet<string>;
  /** Removes secrets from inside a text. `more`: secret values of the request. */
  readonly maskText: (text: string, more: readonly string[]) => string;
}

export const NO_MASK: SecretMask = {
  isSecret: () => false,
  listRevealed: () => new Set(),
  maskText: (text) => text,
};

const HEADERS = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key'];
/** A shorter value is part of too many other texts. */
const SHORTEST = 4;
const VARIABLE = /\$ENV\.([A-Za-z0-9_]+)/g;

export function createSecretMask(kernel: Kernel): SecretMask {
  const { env, registry } = kernel.project;
  const analysis = kernel.analysis();
  const plans = kernel.plans();
  const tables = new Map(plans.tables.map((table) => [table.model, table]));
  const names = new Set(
    [
      ...listSecretNames(
        tables,
        analysis.resources.flatMap(({ actions }) => actions),
      ),
      ...HEADERS,
      ...plans.identities.flatMap(({ identity }) => identity?.header ?? []),
    ].map((name) => name.toLowerCase()),
  );
  const columns = new Set(plans.tables.flatMap((table) => table.columns.map(({ name }) => name.toLowerCase())));
  const texts = [...[...analysis.documents.values()].map(({ text }) => text), JSON.stringify(kernel.config.chosen)];
  const variables = new Set(texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name = '']) => name)));
  const values = [...variables].flatMap((name) => env[name] ?? []).filter((value) => value.length >= SHORTEST);
  const hashes = buildStoredFormPattern(registry);
  return {
    isSecret: (name) => names.has(name.toLowerCase()),
    listRevealed({ text, tokens }) {
      const reveal = createRevealer(toLexemes(text, tokens), text);
      const found = new Set(names);
      for (let before = -1; before !== found.size;) {
        before = found.size;
        for (const { name } of reveal({ names: found, columns })) found.add(name.toLowerCase());
      }
      return found;
    },
    maskText(text, more) {
      if (hashes?.test(text) === true) return MASKED;
      const own = more.filter((value) => value.length >= SHORTEST && text.includes(value));
      // Most texts hold none.
      if (own.length === 0 && !values.some((value) => text.includes(value)) && !holdsToken(text)) return text;
      return createRedactor([...values, ...own])(text);
    },
  };
}

/** The secret texts of a request are masked wherever they are part of a text. */
export const collectFrameSecrets = ({ payload, received }: Frame, mask: SecretMask): readonly string[] =>
  mask === NO_MASK ? [] : [...new Set([payload, received].flatMap((one) => collectSecretTexts(one, mask, false)))];

function collectSecretTexts(value: unknown, mask: SecretMask, isInside: boolean): string[] {
  if (typeof value === 'string') return isInside ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    collectSecretTexts(inner, mask, isInside || mask.isSecret(name)),
  );
}

/** Of a statement that no definition has. */
export function maskRows(rows: readonly unknown[], scan: StatementText, mask: SecretMask): unknown[] {
  const revealed = mask.listRevealed(scan);
  return rows.map((row) => maskValue(row, { ...mask, isSecret: (name) => revealed.has(name.toLowerCase()) }, []));
}

/** A copy without secrets at any depth. */
export function maskValue(value: unknown, mask: SecretMask, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return mask.maskText(value, secrets);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask, secrets));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      mask.isSecret(name) && inner !== null ? MASKED : maskValue(inner, mask, secrets),
    ]),
  );
}
