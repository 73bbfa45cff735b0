/**
 * What was sent to each resource, in the state of the workspace: method, path and payload, without tokens, headers, files and the values
 * of secret fields. Newest first, bounded.
 */
import type { Memento } from 'vscode';
import type { RequestShape } from './server-requests.js';

export interface SentRequest {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** JSON, or an empty text. */
  readonly payload: string;
}

export interface RequestHistory {
  /** Secret fields have the values of the sample. */
  list(shape: RequestShape): readonly SentRequest[];
  add(shape: RequestShape, sent: SentRequest): Promise<void>;
}

const KEY = 'lintel.request.history';
const MOST_REQUESTS = 10;
const MOST_RESOURCES = 100;
const MOST_LETTERS = 20_000;
/** Names that usually hold a secret, also where no definition says so. */
const SECRET_NAME = /pass(?:word|wd|phrase|code)|secret|token|api_?key|credential|^pin$|^otp$|^cvv$/i;

type Stored = Readonly<Record<string, readonly SentRequest[]>>;

export function createRequestHistory(state: Memento): RequestHistory {
  const read = (): Stored => state.get<Stored>(KEY) ?? {};
  return {
    list: (shape) =>
      (read()[toKey(shape)] ?? []).map((sent) => ({ ...sent, payload: completePayload(sent.payload, shape.payload) })),
    async add(shape, { at, method, parameters, payload }) {
      const isSecret = (name: string): boolean => shape.secrets.includes(name) || SECRET_NAME.test(name);
      const kept: SentRequest = {
        ...{ at, method },
        parameters: Object.fromEntries(Object.entries(parameters).filter(([name]) => !isSecret(name))),
        payload: removeSecrets(payload, isSecret),
      };
      if (kept.payload.length > MOST_LETTERS) return;
      const key = toKey(shape);
      const { [key]: before = [], ...others } = read();
      const different = before.filter((one) => toContent(one) !== toContent(kept));
      const all = [[key, [kept, ...different].slice(0, MOST_REQUESTS)] as const, ...Object.entries(others)];
      await state.update(KEY, Object.fromEntries(all.slice(0, MOST_RESOURCES)));
    },
  };
}

const toKey = ({ folder, id }: RequestShape): string => `${folder} ${id}`;

const toContent = ({ method, parameters, payload }: SentRequest): string =>
  JSON.stringify([method, parameters, payload]);

function removeSecrets(text: string, isSecret: (name: string) => boolean): string {
  if (text.trim() === '') return '';
  // A replacer leaves out what is undefined.
  return JSON.stringify(JSON.parse(text), (name, value: unknown) => (isSecret(name) ? undefined : value), 2);
}

/** Adds required fields with the values of the sample. A payload that cannot be parsed stays. */
export function completePayload(text: string, sample: unknown): string {
  if (text.trim() === '') return isRecord(sample) && Object.keys(sample).length > 0 ? toText(sample) : text;
  try {
    return toText(mergeMissing(JSON.parse(text) as unknown, sample));
  } catch {
    return text;
  }
}

const toText = (value: unknown): string => JSON.stringify(value, null, 2);

/** Each object of a list is completed like the first one of the sample. */
function mergeMissing(value: unknown, sample: unknown): unknown {
  if (Array.isArray(value)) {
    const [first] = Array.isArray(sample) ? (sample as unknown[]) : [sample];
    return value.map((one) => mergeMissing(one, first));
  }
  if (!isRecord(value) || !isRecord(sample)) return value;
  const names = [...new Set([...Object.keys(value), ...Object.keys(sample)])];
  return Object.fromEntries(
    names.map((name) => [name, Object.hasOwn(value, name) ? mergeMissing(value[name], sample[name]) : sample[name]]),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
