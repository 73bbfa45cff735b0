/** All CLI commands as data, from which help and reference are generated. A command's code is imported when it runs. */
import type { CommandDoc, OptionDoc } from '../language/export/command-doc.js';
import type { Terminal } from './terminal.js';

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
  readonly yes: boolean;
  readonly all: boolean;
  readonly fix: boolean;
  readonly fixAll: boolean;
  /** Allows running project code. */
  readonly trust: boolean;
  readonly dead: boolean;
  readonly state: string | undefined;
  readonly resource: string | undefined;
  readonly limit: string | undefined;
  readonly verify: boolean;
  readonly replace: boolean;
  readonly stdio: boolean;
  readonly arguments: readonly string[];
}

/** Resolves to the exit code; for servers, after shutdown. */
export type Command = (options: CommandOptions, terminal: Terminal) => Promise<number>;

export interface CommandEntry extends CommandDoc {
  readonly load: () => Promise<Command>;
}

export const COMMON_OPTIONS: readonly OptionDoc[] = [
  { name: 'config', value: 'FILE', doc: 'The config file (default: `lintel.config.json`, if it is there).' },
  { name: 'help', doc: 'What a command does, its options and examples.' },
  { name: 'version', doc: 'The version of Lintel.' },
];

/** For commands that read definitions: loads PostgreSQL's parser in parallel. */
const withSqlParser = (load: CommandEntry['load']) => (): Promise<Command> => {
  // Errors are reported where the parser is awaited.
  void import('../language/project/sql-parser.js').then(({ loadSqlParser }) => loadSqlParser()).catch(() => undefined);
  return load();
};

const FORMAT = (doc: string): OptionDoc => ({ name: 'format', value: 'FORMAT', doc });
const TRUST: OptionDoc = {
  name: 'trust',
  doc: 'Run the code of plugins in folders of the project. For a project that is yours.',
};
const OK = { code: 0, doc: 'Done.' };
const FAILED = { code: 1, doc: 'It could not be done; stderr says why.' };
const BROKEN = { code: 1, doc: 'The definitions or the config have errors, or a plugin cannot start.' };

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  init: {
    usage: 'init <folder>',
    summary: 'make a new project that runs',
    details:
      'Writes a config, sample definitions, `.env` with fresh secrets (readable by you alone), JSON Schemas with the ' +
      'settings for VS Code, and a `package.json`. A folder that holds files already is refused; `--force` adds what is ' +
      'missing and never writes over a file.',
    options: [{ name: 'force', doc: 'Add what is missing to a folder that holds files.' }],
    examples: ['lintel init shop', 'lintel init . --force'],
    exits: [OK, FAILED],
    load: async () => (await import('./init.js')).runInit,
  },
  env: {
    usage: 'env',
    summary: 'fill .env with what .env.example lists',
    details:
      'Adds every variable of `.env.example` that neither `.env` nor the environment sets. A value `generate:32` becomes ' +
      'fresh random text of 32 letters and digits, any other value is copied. Values are never printed; a second run ' +
      'changes nothing; without `.env.example` there is nothing to do.',
    options: [],
    examples: ['lintel env'],
    exits: [OK, FAILED],
    load: async () => (await import('./env.js')).runEnv,
  },
  serve: {
    usage: 'serve',
    summary: 'serve the definitions; one error refuses the start',
    details:
      'For production. Tables are brought to the shape of the models first, unless the config says `"migrate": false`. ' +
      'A server that cannot be reached yet is waited for: what does not need it is served. SIGTERM and SIGINT end it after ' +
      'the requests and the deferred work under way; a second signal hands such work back and ends it at once.',
    options: [],
    examples: ['lintel serve', 'PORT=9000 LOG_FORMAT=json lintel serve', 'lintel serve --config conf/shop.json'],
    exits: [
      { code: 0, doc: 'Ended by a signal.' },
      {
        code: 1,
        doc: 'The definitions or the config have errors, a plugin cannot start, or something was cut off at the end.',
      },
    ],
    load: withSqlParser(async () => (await import('./serve.js')).runServe),
  },
  dev: {
    usage: 'dev',
    summary: 'serve what is sound, watch the files, show problems',
    details:
      'For writing definitions. A saved file is taken over at once. A resource with errors keeps its last sound state, or ' +
      'answers 503 if it never had one. Changes of the config and of `.env` need a restart.',
    options: [],
    examples: ['lintel dev'],
    exits: [{ code: 0, doc: 'Ended by a signal.' }, BROKEN],
    load: withSqlParser(async () => (await import('./dev.js')).runDev),
  },
  check: {
    usage: 'check',
    summary: 'report problems; exit code 1 when one is an error',
    details:
      'Reads the config and all definitions. Statements for PostgreSQL and its embedded sibling are read by a database in ' +
      'this process that has the tables of the models and what `migrations/*.sql` adds; none is run. Connects to nothing and ' +
      'writes nothing. With `--database` the configured servers read the statements instead, against the tables that they ' +
      'have. Code of plugins in folders of the project is not run unless `--trust` says so: what they bring stands in their ' +
      '`plugin.manifest.json`, and what was not looked at is said. `json` is a list of rows with zero-based positions; `sarif` is SARIF 2.1.0, which code hosts show beside the ' +
      'lines. With `--fix` the definition files are changed where a fix is certain, and what is left is reported; comments ' +
      'stay. A fix after which more would be reported than before is not applied, and none takes away a guard. Warnings that ' +
      'definitions acknowledge are counted.',
    options: [
      { name: 'database', doc: 'Connect to the configured SQL databases and have them read the statements.' },
      TRUST,
      FORMAT('`pretty` (default), `json` or `sarif`.'),
      { name: 'fix', doc: 'Apply the fixes that are certain.' },
      { name: 'fix-all', doc: 'Apply also those that are a guess; the changes are shown, and asked about.' },
      { name: 'yes', doc: 'With `--fix-all`: do not ask. Needed without a terminal.' },
    ],
    examples: [
      'lintel check',
      'lintel check --fix',
      'lintel check --trust',
      'lintel check --database',
      'lintel check --format sarif > lintel.sarif',
    ],
    exits: [
      { code: 0, doc: 'No error; warnings and hints there may be.' },
      { code: 1, doc: 'At least one error, also after fixes; or plugins of which nothing is known.' },
    ],
    load: withSqlParser(async () => (await import('./check.js')).runCheck),
  },
  audit: {
    usage: 'audit',
    summary: 'report what the set says of callers, their rows and secrets',
    details:
      'The rows of `check` that are about security alone, each with how sure it is and what to do: owners of rows that the ' +
      'client chooses, reads and writes without the guard that others have, passwords in clear, hashes that are answered, keys ' +
      'of tokens that do not match, secrets in definitions. What is meant to be so is acknowledged in the definition: ' +
      '`"acknowledge": [{"code": "...", "because": "..."}]`.',
    options: [TRUST, FORMAT('`pretty` (default), `json` or `sarif`.')],
    examples: ['lintel audit', 'lintel audit --format json'],
    exits: [
      { code: 0, doc: 'Nothing is found that is not acknowledged.' },
      { code: 1, doc: 'At least one row.' },
    ],
    load: withSqlParser(async () => (await import('./check.js')).runAudit),
  },
  migrate: {
    usage: 'migrate',
    summary: 'show and make the changes that the tables need',
    details:
      'Opens the connections that the definitions need, compares their tables with the models, shows what is missing and ' +
      'adds it, in one transaction for each connection, for as long as it takes; `"migrate": false` in the config is ' +
      'about starts alone. MySQL and MariaDB cannot undo changes of tables: there each stands by itself, and what is left ' +
      'is found again. Nothing is dropped, renamed or narrowed: what adding cannot mend is listed with `!`, with what to ' +
      'do about it, and left as it is, unless `--destroy` asks for it. Then columns that the models do not know are ' +
      'dropped with all their values, types changed, NULL forbidden or allowed, bounds and foreign keys replaced; the plan ' +
      'shows with `-` what is taken away and how many values go, and asks first. A start never does that. Definitions with errors are refused, unless the config says `"on_problem": "skip"`: then the others count.',
    options: [
      { name: 'dry-run', doc: 'Show the changes and make none.' },
      { name: 'check', doc: 'As `--dry-run`, but exit code 1 when there are changes to make.' },
      { name: 'sql', doc: 'Show the statements instead of the words.' },
      { name: 'destroy', doc: 'Make also changes that take something away. Data is lost for good: have a backup.' },
      { name: 'yes', doc: 'With `--destroy`: do not ask. Needed where nobody can answer.' },
      FORMAT('`pretty` (default) or `json`.'),
    ],
    examples: [
      'lintel migrate --dry-run',
      'lintel migrate',
      'lintel migrate --destroy --dry-run',
      'lintel migrate --check --format json',
    ],
    exits: [
      { code: 0, doc: 'The tables have the shape of the models; with `--dry-run`, whatever there is to do.' },
      { code: 1, doc: 'Definitions with errors, a failed change, or with `--check` changes to make.' },
    ],
    load: withSqlParser(async () => (await import('./migrate.js')).runMigrate),
  },
  jobs: {
    usage: 'jobs <list|show|retry|purge> <id>',
    summary: 'look after work that was put off',
    details:
      '`list` (or nothing) shows the work of the queue, the oldest first; `show` one with everything that travels with it, ' +
      'in which there is no secret; `retry` puts dead work back, to be tried as often as new work; `purge` removes work that ' +
      'does not run. The id is that of the request that accepted the work, `x-request-id`; of a second part of the same request ' +
      '`.2` follows. `attempts` says how many runs were begun, and how many there may be. Only the queue is opened: a server that runs is not disturbed, but an embedded database belongs to one ' +
      'process, so stop the server first where the queue lies in one. Work of definitions that are gone is listed too.',
    options: [
      { name: 'state', value: 'STATE', doc: 'For `list`: only work that is `waiting`, `running` or `dead`.' },
      { name: 'resource', value: 'ID', doc: 'For `list`: only work of this resource.' },
      { name: 'limit', value: 'COUNT', doc: 'For `list`: the most rows (default: 100).' },
      { name: 'all', doc: 'For `retry`: all dead work.' },
      { name: 'dead', doc: 'For `purge`: all dead work.' },
      FORMAT('`pretty` (default) or `json`.'),
    ],
    examples: [
      'lintel jobs list --state dead',
      'lintel jobs show 0b6e1c1e-7f0f-4c9a-9a53-0d7c3f3a2d11',
      'lintel jobs retry --all',
      'lintel jobs purge --dead',
    ],
    exits: [OK, { code: 1, doc: 'There is no such work, no definition puts work off, or the queue cannot be opened.' }],
    load: withSqlParser(async () => (await import('./jobs.js')).runJobs),
  },
  backup: {
    usage: 'backup <folder>',
    summary: 'copy the embedded database and uploaded files, also of a running server',
    details:
      'Makes the folder, with a copy of what lies on this machine: the embedded database with its documents, deferred work and ' +
      'schedules, and uploaded files in a folder. A server that runs goes on; its statements wait while files are copied that ' +
      'changed since the first pass, 60 seconds at most. The copy is what was committed at one instant. `manifest.json` has the ' +
      'size and SHA-256 of every file. What a server of its own keeps (PostgreSQL, MySQL, MongoDB, S3) is copied with the tools ' +
      'of that server: the command says so and copies the rest. `.env` is not in it; encrypted fields need its keys.',
    options: [{ name: 'verify', doc: 'Copy nothing; compare a copy with its manifest.' }],
    examples: ['lintel backup /backups/monday', 'lintel backup --verify /backups/monday'],
    exits: [OK, { code: 1, doc: 'Nothing was copied, or with `--verify` a file differs; stderr names it.' }],
    load: async () => (await import('./backup.js')).runBackup,
  },
  restore: {
    usage: 'restore <folder>',
    summary: 'put back what `lintel backup` copied',
    details:
      'Compares the copy with its manifest, copies it beside the folders of the config and puts it in their place, once it is whole. ' +
      'The server must not run. Folders that hold something are refused; with `--replace` they are renamed (`.before-` and ' +
      'the time) and kept until you remove them. Cut off at any point, nothing is lost: a server does not start on a half ' +
      'restored folder, and the same command does it again.',
    options: [{ name: 'replace', doc: 'Also where the folders hold something; it is renamed and kept.' }],
    examples: ['lintel restore /backups/monday', 'lintel restore --replace /backups/monday'],
    exits: [
      OK,
      { code: 1, doc: 'A file is damaged, the server runs, or a folder holds something; nothing was changed.' },
    ],
    load: async () => (await import('./restore.js')).runRestore,
  },
  plan: {
    usage: 'plan <id>',
    summary: 'show the compiled plan of a resource',
    details:
      'The order of the actionables, transactions, statements and where each parameter comes from; what is done behind the ' +
      'answer or by the clock stands under `apart`, with its schedule, delay (seconds) and retries. The resource is named ' +
      'by `id` or by path. Nothing connects; values of the environment are not shown.',
    options: [FORMAT('`pretty` (default) or `json`.')],
    examples: ['lintel plan wallet-transfer-01', 'lintel plan wallet/transfer --format json'],
    exits: [OK, { code: 1, doc: 'There is no such resource, or it has errors.' }],
    load: withSqlParser(async () => (await import('./plan.js')).printPlan),
  },
  openapi: {
    usage: 'openapi',
    summary: 'describe the endpoints as an OpenAPI document',
    details:
      'OpenAPI 3.1 as JSON: paths, parameters, bodies, answers, problems and how callers show who they are, from the ' +
      'definitions, the models and the statements. Where clients may stay connected, `x-lintel-websocket` says what they can ' +
      'call and which events they hear. Title and version are those of the `package.json` beside the config. ' +
      'Nothing connects, and no value of the environment is in it. Without `--out` it is printed. `lintel dev` serves the ' +
      'same at `/openapi.json`, and a page to try it out at `/docs`.',
    options: [
      { name: 'out', value: 'FILE', doc: 'The file to write.' },
      { name: 'check', doc: 'Write nothing; exit code 1 when the file (default: `openapi.json`) is not current.' },
    ],
    examples: ['lintel openapi --out openapi.json', 'lintel openapi --check --out openapi.json'],
    exits: [OK, { code: 1, doc: 'Definitions with errors, or with `--check` a file that is not current.' }],
    load: withSqlParser(async () => (await import('./openapi.js')).runOpenapi),
  },
  schema: {
    usage: 'schema',
    summary: 'write JSON Schemas of definitions, models and the config',
    details:
      'For editors without the Lintel extension: completion, documentation and the mistakes that a schema can see (draft ' +
      '07). The plugins that the config loads are part of it. A name that ends in `.json` is the file to write; any ' +
      'other is a folder, which gets one file for each sort of definition file. Without `--out` the schema is printed.',
    options: [
      { name: 'for', value: 'WHAT', doc: '`definition`, `model`, `config` or `all` (default).' },
      { name: 'out', value: 'PATH', doc: 'A file, or a folder.' },
    ],
    examples: ['lintel schema --out .vscode', 'lintel schema --for model --out model.schema.json'],
    exits: [OK, FAILED],
    load: async () => (await import('./schema.js')).runSchema,
  },
  docs: {
    usage: 'docs',
    summary: 'write the reference as Markdown pages',
    details:
      'One page for each kind of plugin, and pages for the grammar, the config, the codes of problems and the commands; ' +
      'plugins of your own are part of it. Pages that were made earlier and are no longer needed are removed, other ' +
      'files of the folder are left alone.',
    options: [
      { name: 'out', value: 'FOLDER', doc: 'Where the pages go (default: `docs/reference`).' },
      { name: 'check', doc: 'Write nothing; exit code 1 when a page is not current.' },
    ],
    examples: ['lintel docs', 'lintel docs --check'],
    exits: [OK, { code: 1, doc: 'With `--check`: a page is not current.' }],
    load: async () => (await import('./docs.js')).runDocs,
  },
  manifest: {
    usage: 'manifest <plugin folder>',
    summary: 'judge the specs in a folder and write plugin.manifest.json',
    details:
      'Runs the examples and counter-examples of every spec in the folder and looks for documentation that is missing. ' +
      'When all is clean, writes what the specs say as plain data, for readers that must not run foreign code. Rules that ' +
      'are code are mentioned only (`hasCheck`). Kinds that the config loads are known here too.',
    options: [{ name: 'check', doc: 'Write nothing; exit code 1 when the file is not current.' }],
    examples: ['lintel manifest my-plugins/short-code', 'lintel manifest my-plugins/short-code --check'],
    exits: [OK, { code: 1, doc: 'A spec has flaws, or with `--check` the file is not current.' }],
    load: async () => (await import('./manifest.js')).runManifest,
  },
  lsp: {
    usage: 'lsp',
    summary: 'the language server, for editors',
    details:
      'Speaks the Language Server Protocol over the standard streams: problems, completion, documentation, navigation and ' +
      'changes of definitions, models and the config while they are typed. The VS Code extension brings its own copy.',
    options: [
      { name: 'stdio', doc: 'Talk over stdin and stdout; the only way there is.' },
      { name: 'clientProcessId', value: 'PID', doc: 'The editor, as some clients tell it.' },
    ],
    examples: ['lintel lsp --stdio'],
    exits: [{ code: 0, doc: 'The editor has ended it.' }],
    load: async () => (await import('./lsp.js')).runLanguageServer,
  },
};

export const isCommand = (name: string): boolean => Object.hasOwn(COMMANDS, name);
