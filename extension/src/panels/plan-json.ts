/** Tolerates missing members: the project's version may differ. */

export interface PlanAction {
  /** E.g. `sign-up#2`. */
  readonly key: string;
  readonly mode: string;
  /** 1-based line in its file. */
  readonly line: number | null;
  /** The actionable runs only because others depend on it. */
  readonly whenNeeded: boolean;
  /** Names of values from results, by the actionable that produces them. */
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
    path: toText(json['path']),
    admit: toTexts(json['admit']),
    check: toTexts(json['check']),
    groups: toRecords(json['run']).map(readGroup),
    apart: toRecords(json['apart']).map(readPart),
    main: toTextOrNull(json['main']),
    answer: toTextOrNull(json['answer']),
    reply: toTexts(json['reply']),
    settle: toTexts(json['settle']),
  };
}

const readGroup = ({ together, actions }: Loose): PlanGroup => ({
  together: toTextOrNull(together),
  actions: toRecords(actions).map(readAction),
});

const readAction = (json: Loose): PlanAction => ({
  key: toText(json['key']),
  mode: toText(json['mode']),
  line: typeof json['line'] === 'number' ? json['line'] : null,
  whenNeeded: json['begins'] !== undefined,
  needs: Object.fromEntries(
    Object.entries(isRecord(json['needs']) ? json['needs'] : {}).map(([key, names]) => [key, toTexts(names)]),
  ),
  tables: toTexts(json['tables']),
  before: toTexts(json['before']),
  after: toTexts(json['after']),
  execute: json['execute'],
});

function readPart(json: Loose): PlanPart {
  const settings = ['schedule', 'zone', 'delay', 'priority', 'retries'].flatMap((name) => {
    const value = json[name];
    // A delay of 0 is not shown.
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    return value === 0 ? [] : [`${name} ${value}${name === 'delay' ? ' s' : ''}`];
  });
  return { begins: toText(json['begins']), facts: settings, groups: toRecords(json['run']).map(readGroup) };
}

const isRecord = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const toRecords = (value: unknown): Loose[] => (Array.isArray(value) ? (value as unknown[]).filter(isRecord) : []);
const toTexts = (value: unknown): string[] =>
  Array.isArray(value) ? (value as unknown[]).filter((one) => typeof one === 'string') : [];
const toText = (value: unknown): string => (typeof value === 'string' ? value : '');
const toTextOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
