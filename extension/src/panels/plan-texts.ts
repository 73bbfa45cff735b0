/** The texts in the boxes of a plan diagram: short lines and the tooltip. */
import type { Plan, PlanAction } from './plan-json.js';
import type { RequestShape } from './server-requests.js';

export type ResourceInterface = Pick<RequestShape, 'methods' | 'ways' | 'answers' | 'accepted' | 'events' | 'secrets'>;

export interface BoxLine {
  readonly text: string;
  /** `dim`: secondary; `secret`: never sent to the client; `good`: sent; `flow`: what is done with the value that is followed. */
  readonly look: 'code' | 'dim' | 'plain' | 'secret' | 'good' | 'flow';
}

export interface BoxText {
  readonly title: string;
  readonly tags: readonly string[];
  readonly lines: readonly BoxLine[];
  /** The full text, for the tooltip. */
  readonly whole: string;
}

const createBoxText = (title: string, tags: readonly string[], lines: readonly BoxLine[], more = ''): BoxText => ({
  title,
  tags,
  lines,
  whole: [[title, ...tags].join(', '), ...lines.map(({ text }) => text), ...(more === '' ? [] : [more])].join('\n'),
});

/** `payload_validation` → payload validation. */
const humanizeNames = (names: readonly string[]): string => names.map((name) => name.replaceAll('_', ' ')).join(', ');

export function describeRequestBox({ path, admit }: Plan, about: ResourceInterface | null): BoxText {
  const way = about?.ways.find((one) => one.length > 0);
  const open = about?.ways.some((one) => one.length === 0) === true;
  const guard = way?.map(({ header, prefix }) => `${header}: ${prefix}...`).join(' and ');
  const lines: BoxLine[] = [
    ...(guard === undefined ? [] : [{ text: `${open ? 'may show' : 'shows'} ${guard}`, look: 'plain' } as const]),
    ...(admit.length === 0 ? [] : [{ text: humanizeNames(admit), look: 'dim' } as const]),
  ];
  return createBoxText(
    `${about?.methods[0] ?? 'POST'} /${path}`,
    guard === undefined || open ? [] : ['guarded'],
    lines,
  );
}

export function describeActionBox(action: PlanAction, { main, id }: Pick<Plan, 'main' | 'id'>): BoxText {
  const { key, mode, execute, tables, before, after, whenNeeded } = action;
  const at = key.lastIndexOf('#');
  const foreign = key.slice(0, at) === id ? '' : ` of ${key.slice(0, at)}`;
  const { text, store, rest } = summarizeExecution(execute);
  const place = [humanizeNames(tables), store].filter((one) => one !== '').join(' · ');
  const lines: BoxLine[] = [
    ...(before.length === 0 ? [] : [{ text: `first: ${humanizeNames(before)}`, look: 'dim' } as const]),
    ...(text === '' ? [] : [{ text, look: 'code' } as const]),
    ...(place === '' ? [] : [{ text: place, look: 'plain' } as const]),
    ...(after.length === 0 ? [] : [{ text: `then: ${humanizeNames(after)}`, look: 'dim' } as const]),
  ];
  const tags = [...(key === main ? ['the answer'] : []), ...(whenNeeded ? ['only when needed'] : [])];
  return createBoxText(`${key.slice(at + 1)}${foreign}  ${mode}`, tags, lines, rest);
}

/** `text`: the first member on one line; `rest`: all, for the tooltip. */
function summarizeExecution(execute: unknown): { text: string; store: string; rest: string } {
  if (typeof execute !== 'object' || execute === null) return { text: formatValue(execute), store: '', rest: '' };
  const { connection, ...rest } = execute as Readonly<Record<string, unknown>>;
  const [first] = Object.entries(rest);
  const text =
    first === undefined ? '' : typeof first[1] === 'string' ? first[1] : `${first[0]} ${formatValue(first[1])}`;
  return {
    text: text.replace(/\s+/g, ' ').trim(),
    store: typeof connection === 'string' ? connection : '',
    rest: Object.entries(rest)
      .map(([name, value]) => `${name}: ${formatValue(value)}`)
      .join('\n'),
  };
}

const formatValue = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

/** Uses of a value by the key of an actionable; the id of the resource is its response. */
export type FlowMarks = Readonly<Record<string, readonly string[]>>;

export function addMarks(words: BoxText, marks: readonly string[] = []): BoxText {
  if (marks.length === 0) return words;
  const lines = marks.map((text): BoxLine => ({ text, look: 'flow' }));
  return { ...words, lines: [...words.lines, ...lines], whole: [words.whole, ...marks].join('\n') };
}

export function describeAnswerBox({ reply, answer, main }: Plan, about: ResourceInterface | null): BoxText {
  const names = about?.answers?.names ?? [];
  const made = about?.answers?.list === true ? 'a list of ' : '';
  const lines: BoxLine[] = [
    ...(names.length === 0 ? [] : [{ text: `leaves: ${made}${names.join(', ')}`, look: 'good' } as const]),
    ...(reply.length === 0 ? [] : [{ text: humanizeNames(reply), look: 'dim' } as const]),
    ...eventLines(about),
    ...secretLines(about),
  ];
  const from = main === null ? [] : [`result of ${main.slice(main.lastIndexOf('#') + 1)}`];
  return createBoxText(answer ?? '200', answer === null ? from : [], lines);
}

const eventLines = (about: ResourceInterface | null): BoxLine[] =>
  (about?.events ?? []).map(({ action, to }) => ({ text: `tells ${to}: ${action}`, look: 'good' }));

const secretLines = (about: ResourceInterface | null): BoxLine[] =>
  (about?.secrets.length ?? 0) === 0
    ? []
    : [{ text: `kept back unless listed: ${about?.secrets.join(', ')}`, look: 'secret' }];
export const describeStepBox = (title: string, steps: readonly string[]): BoxText =>
  createBoxText(title, [], [{ text: humanizeNames(steps), look: 'plain' }]);
