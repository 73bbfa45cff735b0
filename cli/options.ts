/** The options of the command line, as commands receive them. */

/** The options of all commands; the command table lists which apply. */
export const OPTIONS = {
  config: { type: 'string', short: 'c' },
  format: { type: 'string' },
  out: { type: 'string', short: 'o' },
  for: { type: 'string' },
  force: { type: 'boolean' },
  check: { type: 'boolean' },
  database: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  fill: { type: 'boolean' },
  destroy: { type: 'boolean' },
  yes: { type: 'boolean' },
  sql: { type: 'boolean' },
  all: { type: 'boolean' },
  fix: { type: 'boolean' },
  'fix-all': { type: 'boolean' },
  trust: { type: 'boolean' },
  transactions: { type: 'boolean' },
  dead: { type: 'boolean' },
  state: { type: 'string' },
  resource: { type: 'string' },
  limit: { type: 'string' },
  verify: { type: 'boolean' },
  replace: { type: 'boolean' },
  filter: { type: 'string' },
  mutants: { type: 'boolean' },
  coverage: { type: 'boolean' },
  'coverage-file': { type: 'string' },
  watch: { type: 'boolean' },
  debug: { type: 'boolean' },
  update: { type: 'boolean' },
  reporter: { type: 'string' },
  url: { type: 'string' },
  tables: { type: 'string' },
  connection: { type: 'string' },
  owner: { type: 'string' },
  stdio: { type: 'boolean' },
  clientProcessId: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

export interface CommandOptions {
  readonly config: string | undefined;
  readonly format: string | undefined;
  readonly out: string | undefined;
  /** The purpose of the schema (`lintel schema --for`). */
  readonly for: string | undefined;
  readonly force: boolean;
  readonly check: boolean;
  readonly database: boolean;
  readonly dryRun: boolean;
  readonly sql: boolean;
  readonly destroy: boolean;
  readonly fill: boolean;
  readonly yes: boolean;
  readonly all: boolean;
  readonly fix: boolean;
  readonly fixAll: boolean;
  /** Lists the transactions after the problems. */
  readonly transactions: boolean;
  /** Allows running project code. */
  readonly trust: boolean;
  readonly dead: boolean;
  readonly state: string | undefined;
  readonly resource: string | undefined;
  readonly limit: string | undefined;
  readonly verify: boolean;
  readonly replace: boolean;
  /** Text in the names of the cases to run (`lintel test`). */
  readonly filter: string | undefined;
  readonly reporter: string | undefined;
  readonly mutants: boolean;
  readonly coverage: boolean;
  /** LCOV, or JSON where its name ends with `.json`. */
  readonly coverageFile: string | undefined;
  readonly watch: boolean;
  /** Accepts a debugger (`lintel dev`, `lintel test`). */
  readonly debug: boolean;
  /** Writes snapshots into test files. */
  readonly update: boolean;
  /** The address of a database (`lintel import`). */
  readonly url?: string | undefined;
  /** Separated by commas. */
  readonly tables?: string | undefined;
  readonly connection?: string | undefined;
  /** The column of the signed-in user (`lintel add`). */
  readonly owner?: string | undefined;
  readonly stdio: boolean;
  readonly arguments: readonly string[];
}

type Values = Readonly<Partial<Record<keyof typeof OPTIONS, string | boolean>>>;

export function toCommandOptions(values: Values, words: readonly string[]): CommandOptions {
  const toText = (value: string | boolean | undefined): string | undefined =>
    typeof value === 'string' ? value : undefined;
  return {
    config: toText(values.config),
    format: toText(values.format),
    out: toText(values.out),
    for: toText(values.for),
    force: values.force === true,
    check: values.check === true,
    database: values.database === true,
    dryRun: values['dry-run'] === true,
    fill: values.fill === true,
    destroy: values.destroy === true,
    yes: values.yes === true,
    sql: values.sql === true,
    all: values.all === true,
    fix: values.fix === true,
    fixAll: values['fix-all'] === true,
    trust: values.trust === true,
    transactions: values.transactions === true,
    dead: values.dead === true,
    state: toText(values.state),
    resource: toText(values.resource),
    limit: toText(values.limit),
    verify: values.verify === true,
    replace: values.replace === true,
    filter: toText(values.filter),
    mutants: values.mutants === true,
    coverage: values.coverage === true,
    coverageFile: toText(values['coverage-file']),
    watch: values.watch === true,
    debug: values.debug === true,
    update: values.update === true,
    reporter: toText(values.reporter),
    url: toText(values.url),
    tables: toText(values.tables),
    connection: toText(values.connection),
    owner: toText(values.owner),
    stdio: values.stdio === true,
    arguments: words,
  };
}
