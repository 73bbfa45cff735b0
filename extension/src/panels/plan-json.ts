/** Reads `lintel plan <id> --format json`. Tolerates missing members, because the project's version may differ. */

export interface PlanAction {
  /** E.g. `sign-up#2`. */
  readonly key: string;
  readonly mode: string;
  /** 1-based line in its file. */
  readonly line: number | null;
  /** The actionable runs only because others depend on it. */
  readonly whenNeeded: boolean;
  /** Names of the values it reads from results, by the key of the actionable that produces them. */
  readonly needs: Readonly<Record<string, readonly string[]>>;
  readonly tables: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The mode-specific description of what it does. */
  readonly execute: unknown;
}

export interface PlanGroup {
  /** `at once` (parallel), a transaction's name, or null for a single actionable. */
  readonly together: string | null;
  readonly actions: readonly PlanAction[];
}

export interface PlanPart {
  readonly begins: string;
  /** Schedule, delay and retries as text. */
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
  /** Key of the actionable that produces the response. */
  readonly main: string | null;
  readonly answer: string | null;
  readonly reply: readonly string[];
  readonly settle: readonly string[];
}

type Loose = Readonly<Record<string, unknown>>;

/** Returns null if the text is not a plan. */
export function readPlan(text: string): Plan | null {
  let json: unknown;
  try {
    // Older versions print warnings before the JSON, one per line.
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
    // A delay of 0 is not shown.
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
