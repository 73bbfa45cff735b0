/**
 * Large definitions for measuring the editor: one file of any size, a workspace of any number of resources, all without
 * a problem, and positions for typing. Texts only; nothing is read or asserted here.
 */

const MODEL = {
  id: { type: 'String', primary_key: true, max_length: 26 },
  email: { type: 'String', max_length: 200, indexable: true },
  amount: { type: 'Number' },
  note: { type: 'String', max_length: 500, optional: true },
  created_at: { type: 'DateTime' },
};

const MODEL_FILE = 'definitions/_orders.model.json';

/** Files that every generated project needs in addition to its resources. */
const AROUND: Readonly<Record<string, string>> = {
  'lintel.config.json': '{ "definitions": ["definitions/**/*.json"] }\n',
  '.env': 'JWT_SECRET_KEY=w3Xp8Lq2Rt6Vz9Bn4Mk7Hs5Jd1Fg0CyQ8uE2aT6iO4xN9vK7\n',
  [MODEL_FILE]: `${JSON.stringify(MODEL, null, 2)}\n`,
};

const formatOrderName = (n: number): string => `order-${String(n).padStart(4, '0')}`;

/** Two actionables, a guard, rules, two statements that no other resource has. */
const defineOrder = (n: number, table = '_orders'): object => ({
  id: formatOrderName(n),
  resource: `orders/${n}`,
  tokenize: { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.JWT_SECRET_KEY' },
  protected: { provide_as: 'Authorization', extract_claims: ['id'] },
  actionables: [
    {
      id: 1,
      mode: 'QUERY',
      payload_validation: [
        { field: { email: { type: 'STRING' } }, min_length: 5, max_length: 200 },
        { field: { amount: { type: 'NUMBER', max: 1_000_000 + n } } },
      ],
      sql_query: {
        query: `INSERT INTO ${table} (id, email, amount, created_at) VALUES ($1, $2, $3 + ${n}, $4) RETURNING id`,
        parameters: ['$GENERATOR.ULID', 'email', 'amount', '$DATETIME'],
      },
      must_return_value: true,
    },
    {
      id: 2,
      mode: 'QUERY',
      sql_query: {
        query: `SELECT id, email, amount, created_at FROM ${table} WHERE email = $1 AND amount > ${n} ORDER BY created_at DESC LIMIT 20`,
        parameters: ['email'],
      },
    },
  ],
  returnables: ['id', 'email', 'amount', 'created_at'],
});

export interface LargeProject {
  /** Text by name, relative to the folder of the project. */
  readonly files: Readonly<Record<string, string>>;
  /** The file that is opened and typed in. */
  readonly open: string;
  readonly resources: number;
}

/** A project whose one definition file has at least so many bytes. */
export function createSingleFileProject(bytes: number): LargeProject {
  const texts: string[] = [];
  for (let size = 0; size < bytes; size += (texts.at(-1)?.length ?? 0) + 2)
    texts.push(JSON.stringify(defineOrder(texts.length), null, 2));
  const open = 'definitions/orders.json';
  return { files: { ...AROUND, [open]: `[\n${texts.join(',\n')}\n]\n` }, open, resources: texts.length };
}

/** A project of so many resources, each in a file of its own. */
export function createMultiFileProject(resources: number): LargeProject {
  const formatFileName = (n: number): string => `definitions/${formatOrderName(n)}.json`;
  const own = Array.from(
    { length: resources },
    (_, n) => [formatFileName(n), `${JSON.stringify(defineOrder(n), null, 2)}\n`] as const,
  );
  return { files: { ...AROUND, ...Object.fromEntries(own) }, open: formatFileName(resources >> 1), resources };
}

/** A project of so many resources and models, each in a file of its own; each model has a key of the one before it. */
export function createManyModelsProject(resources: number, models: number): LargeProject & { readonly model: string } {
  const nameModel = (n: number): string => `_table${String(n).padStart(3, '0')}`;
  const formatModelName = (n: number): string => `definitions/${nameModel(n)}.model.json`;
  const files: Record<string, string> = { ...AROUND, 'package.json': '{}\n' };
  delete files[MODEL_FILE];
  for (let n = 0; n < models; n++) {
    const reference = { of: nameModel(n - 1), key: 'id' };
    const parent = { parent_id: { type: 'String', max_length: 26, optional: true, foreign_key: reference } };
    files[formatModelName(n)] = `${JSON.stringify({ ...MODEL, ...(n > 0 && parent) }, null, 2)}\n`;
  }
  const formatFileName = (n: number): string => `definitions/${formatOrderName(n)}.json`;
  for (let n = 0; n < resources; n++)
    files[formatFileName(n)] = `${JSON.stringify(defineOrder(n, nameModel(n % models)), null, 2)}\n`;
  return { files, open: formatFileName(resources >> 1), resources, model: formatModelName(models >> 1) };
}

/** One typed letter: the text before it, the letter, and the expected completion or diagnostic. */
export interface Keystroke {
  readonly name: string;
  readonly text: string;
  readonly offset: number;
  readonly letter: string;
  readonly expected: RegExp;
}

interface Place {
  readonly name: string;
  /** Occurs in every resource; replaced in the middle one by `by`, in which `‸` is the caret. */
  readonly find: string;
  readonly by: string;
  readonly letter: string;
  readonly expected: RegExp;
}

const COMPLETIONS: readonly Place[] = [
  { name: 'key', find: '"mode": "QUERY",', by: '"mode": "QUERY", "cac‸"', letter: 'h', expected: /^cacheable\b/ },
  { name: 'value', find: '"mode": "QUERY"', by: '"mode": "QU‸"', letter: 'E', expected: /^"?QUERY\b/ },
  { name: 'accessor', find: '"$DATETIME"', by: '"$DA‸"', letter: 'T', expected: /^\$?DATETIME\b/ },
  { name: 'SQL column', find: 'SELECT id, email,', by: 'SELECT id, ema‸,', letter: 'i', expected: /^email\b/ },
];

/** The problem after the letter; the expression matches its code and its message. */
const PROBLEMS: readonly Place[] = [
  {
    name: 'in a value',
    find: '"mode": "QUERY"',
    by: '"mode": "QUERY‸"',
    letter: 'S',
    expected: /^DEF_UNKNOWN_PLUGIN .*QUERYS/,
  },
  { name: 'in SQL', find: 'SELECT id, email,', by: 'SELECT id, email‸,', letter: 's', expected: /^\w+ .*emails/ },
];

const HOVERS: readonly Place[] = [
  { name: 'hover', find: '"must_return_value"', by: '"must_r‸eturn_value"', letter: '', expected: /End the request/ },
];

function placeKeystroke(text: string, resources: number, { find, by, ...rest }: Place): Keystroke {
  const middle = Math.max(0, text.indexOf(`"${formatOrderName(resources >> 1)}"`));
  const start = text.indexOf(find, middle);
  if (start < 0) throw new Error(`${find} does not stand in the text`);
  const [before = '', after = ''] = by.split('‸');
  return {
    ...rest,
    text: text.slice(0, start) + before + after + text.slice(start + find.length),
    offset: start + before.length,
  };
}

const inOpenFile =
  (places: readonly Place[]) =>
  ({ files, open, resources }: LargeProject): readonly Keystroke[] =>
    places.map((place) => placeKeystroke(files[open] ?? '', resources, place));

export const listCompletionKeystrokes = inOpenFile(COMPLETIONS);
export const listProblemKeystrokes = inOpenFile(PROBLEMS);
export const listHoverKeystrokes = inOpenFile(HOVERS);

export interface FileKeystroke extends Keystroke {
  readonly file: string;
}

/** A letter in a model, by default the one that every resource uses: its file and the problem after it. */
export function getModelKeystroke({ files }: LargeProject, file = MODEL_FILE): FileKeystroke {
  const text = files[file] ?? '';
  const offset = text.indexOf('Number') + 'Number'.length;
  return { name: 'a model', file, text, offset, letter: 's', expected: /^DEF_\w+ .*Numbers/ };
}

/** A letter in the name of a section of the config. */
export function getConfigKeystroke({ files }: LargeProject): FileKeystroke {
  const file = 'lintel.config.json';
  const text = files[file] ?? '';
  const offset = text.indexOf('"', 3);
  return { name: 'the config', file, text, offset, letter: 's', expected: /^DEF_UNKNOWN_KEY .*definitionss/ };
}
