/** The plan of a resource as `lintel plan <id> --format json` prints it, read with care: another version may say less. */

export interface PlanAction {
  /** `sign-up#2` */
  readonly key: string;
  readonly mode: string;
  /** Line of its file, from 1. */
  readonly line: number | null;
  /** Runs because others need it. */
  readonly whenNeeded: boolean;
  /** Names of the values that it takes out of results, by the key of the actionable that gives them. */
  readonly needs: Readonly<Record<string, readonly string[]>>;
  readonly tables: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** What it does, in the words of its mode. */
  readonly execute: unknown;
}

export interface PlanGroup {
  /** `at once`, the name of a transaction, or null for what stands alone. */
  readonly together: string | null;
  readonly actions: readonly PlanAction[];
}

export interface PlanPart {
  readonly begins: string;
  /** When, how late, how often it is tried: in words. */
  readonly facts: readonly string[];
  readonly groups: readonly PlanGroup[];
}

export interface Plan {
  readonly id: string;
  readonly path: string;
  readonly admit: readonly string[];
  readonly check: readonly string[];
  readonly groups: readonly PlanGroup[];
  readonly apart: readonly PlanPart[];
  /** Key of the actionable whose result is the answer. */
  readonly main: string | null;
  readonly answer: string | null;
  readonly reply: readonly string[];
  readonly settle: readonly string[];
}

type Loose = Readonly<Record<string, unknown>>;

/** Null for text that is no plan. */
export function readPlan(text: string): Plan | null {
  let json: unknown;
  try {
    // Older versions log their warnings before it, a line each.
    json = JSON.parse(text.slice(Math.max(text.search(/^\{\s*$/m), 0)));
  } catch {
    return null;
  }
  if (!isRecord(json) || typeof json['id'] !== 'string' || !Array.isArray(json['run'])) return null;
  return {
    id: json['id'],
    path: textOf(json['path']),
    admit: texts(json['admit']),
    check: texts(json['check']),
    groups: records(json['run']).map(readGroup),
    apart: records(json['apart']).map(readPart),
    main: orNull(json['main']),
    answer: orNull(json['answer']),
    reply: texts(json['reply']),
    settle: texts(json['settle']),
  };
}

const readGroup = ({ together, actions }: Loose): PlanGroup => ({
  together: orNull(together),
  actions: records(actions).map(readAction),
});

const readAction = (json: Loose): PlanAction => ({
  key: textOf(json['key']),
  mode: textOf(json['mode']),
  line: typeof json['line'] === 'number' ? json['line'] : null,
  whenNeeded: json['begins'] !== undefined,
  needs: Object.fromEntries(
    Object.entries(isRecord(json['needs']) ? json['needs'] : {}).map(([key, names]) => [key, texts(names)]),
  ),
  tables: texts(json['tables']),
  before: texts(json['before']),
  after: texts(json['after']),
  execute: json['execute'],
});

function readPart(json: Loose): PlanPart {
  const told = ['schedule', 'zone', 'delay', 'priority', 'retries'].flatMap((name) => {
    const value = json[name];
    // Nobody asks for a delay of nothing.
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    return value === 0 ? [] : [`${name} ${value}${name === 'delay' ? ' s' : ''}`];
  });
  return { begins: textOf(json['begins']), facts: told, groups: records(json['run']).map(readGroup) };
}

const isRecord = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const records = (value: unknown): Loose[] => (Array.isArray(value) ? (value as unknown[]).filter(isRecord) : []);
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? (value as unknown[]).filter((one) => typeof one === 'string') : [];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const orNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
