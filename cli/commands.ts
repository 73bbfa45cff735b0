/** All CLI commands as data, for help and reference. A command's code is imported when it runs. */
import type { OptionDoc } from '../language/export/command-doc.js';
import { holdYoungGeneration } from '../language/project/code-tiering.js';
import { BROKEN, FAILED, FORMAT, OK, TRUST, withSqlParser, type CommandEntry } from './command-entry.js';
import { SCHEMA_COMMANDS } from './schema-commands.js';
import { TOOL_COMMANDS } from './tool-commands.js';

export const COMMON_OPTIONS: readonly OptionDoc[] = [
  { name: 'config', value: 'FILE', doc: 'The config file (default: `lintel.config.json`, if it exists).' },
  { name: 'help', doc: 'Show what a command does, its options and examples.' },
  { name: 'version', doc: 'Show the version of Lintel.' },
];

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  init: {
    usage: 'init <folder>',
    summary: 'create a new project that runs',
    details:
      'Writes a config, sample definitions, `.env` with new secrets (readable only by you), JSON Schemas with the ' +
      'settings for VS Code, and a `package.json`. A folder that contains files is rejected; `--force` adds missing ' +
      'files and never overwrites one.',
    options: [{ name: 'force', doc: 'Add missing files to a folder that is not empty.' }],
    examples: ['lintel init shop', 'lintel init . --force'],
    exits: [OK, FAILED],
    load: async () => (await import('./init.js')).runInit,
  },
  env: {
    usage: 'env',
    summary: 'fill .env with what .env.example lists',
    details:
      'Adds every variable of `.env.example` that neither `.env` nor the environment sets. `generate:32` becomes ' +
      'a random text of 32 letters and digits; other values are copied. Values are never printed; a second run ' +
      'changes nothing. Without `.env.example` it does nothing.',
    options: [],
    examples: ['lintel env'],
    exits: [OK, FAILED],
    load: async () => (await import('./env.js')).runEnv,
  },
  serve: {
    usage: 'serve',
    summary: 'serve the definitions; any error prevents the start',
    details:
      'For production. Tables are migrated to the models first, unless the config has `"migrate": false`. ' +
      'If a server is unavailable, it is retried, and endpoints that do not need it are served. SIGTERM and SIGINT stop it after ' +
      'active requests and jobs; a second signal releases the jobs and stops it immediately.',
    options: [],
    examples: ['lintel serve', 'PORT=9000 LOG_FORMAT=json lintel serve', 'lintel serve --config conf/shop.json'],
    exits: [
      { code: 0, doc: 'Stopped by a signal.' },
      {
        code: 1,
        doc: 'The definitions or the config have errors, a plugin cannot start, or requests or jobs were aborted at shutdown.',
      },
    ],
    load: async () => {
      holdYoungGeneration();
      return (await import('./serve.js')).runServe;
    },
  },
  dev: {
    usage: 'dev',
    summary: 'serve valid definitions, watch files, show problems',
    details:
      'For writing definitions. A saved file is reloaded immediately. A resource with errors keeps its last valid version, or ' +
      'returns 503 if it has none. Changes of the config and of `.env` need a restart. Editors send statements to 127.0.0.1, with a ' +
      'token from `.lintel/dev.json`, readable only by you: they are rolled back, and write only after a confirmation.',
    options: [
      {
        name: 'debug',
        doc: 'Accept a debugger on 127.0.0.1; its port and token are in `.lintel/debug.json`, readable only by you. Without one attached nothing is slower.',
      },
    ],
    examples: ['lintel dev', 'lintel dev --debug'],
    exits: [{ code: 0, doc: 'Stopped by a signal.' }, BROKEN],
    load: withSqlParser(async () => (await import('./dev.js')).runDev),
  },
  check: {
    usage: 'check',
    summary: 'report problems; exit code 1 if any is an error',
    details:
      'Reads the config and all definitions. Statements for PostgreSQL and embedded PostgreSQL are prepared by a database in ' +
      'this process with the tables of the models and of `migrations/*.sql`; none is run. Connects to nothing and ' +
      'writes nothing. With `--database` the configured servers prepare the statements instead, with their own ' +
      'tables. Code of plugins in folders of the project runs only with `--trust`; otherwise their ' +
      '`plugin.manifest.json` is read, and unchecked parts are listed. `json` is a list of rows with zero-based positions; `sarif` is SARIF 2.1.0, which code hosts show next to the ' +
      'lines. `--fix` applies certain fixes to the definition files and reports what remains; comments ' +
      'are preserved. A fix that would cause new problems is not applied, and none removes a guard. Warnings that ' +
      'definitions acknowledge are counted. `--transactions` then lists each transaction with its isolation, the tables whose rows it locks, and why.',
    options: [
      { name: 'transactions', doc: 'Then list the transactions with their isolation and locks.' },
      { name: 'database', doc: 'Connect to the configured SQL databases to prepare the statements.' },
      TRUST,
      FORMAT('`pretty` (default), `json` or `sarif`.'),
      { name: 'fix', doc: 'Apply certain fixes.' },
      { name: 'fix-all', doc: 'Also apply fixes that are a guess; shows the changes and asks for confirmation.' },
      { name: 'yes', doc: 'With `--fix-all`: do not ask. Required without a terminal.' },
    ],
    examples: [
      'lintel check',
      'lintel check --fix',
      'lintel check --trust',
      'lintel check --database',
      'lintel check --transactions',
      'lintel check --format sarif > lintel.sarif',
    ],
    exits: [
      { code: 0, doc: 'No errors (there may be warnings or hints).' },
      { code: 1, doc: 'At least one error after fixes, or plugins that could not be read.' },
    ],
    load: withSqlParser(async () => (await import('./check.js')).runCheck),
  },
  test: {
    usage: 'test <file>',
    summary: 'run the cases of the test files next to the definitions',
    details:
      'Runs the cases of `*.test.json`. One server is started in this process, with an embedded database in memory, and every ' +
      'request is sent to it over HTTP. Each case begins with the rows that it gives, and nothing else. Secrets that `.env` ' +
      'lacks are generated and never printed; the configured database is not opened. With `--database` the cases run on the ' +
      'configured servers of SQL connections and document stores, each in a new database that is dropped at the end. ' +
      'With a file or a folder, only its cases run.',
    options: [
      { name: 'database', doc: 'Run on the configured database servers, in new databases.' },
      { name: 'filter', value: 'TEXT', doc: 'Only cases with this text in `FILE GROUP NAME`.' },
      {
        name: 'reporter',
        value: 'NAME',
        doc: '`pretty` (default), `json`, `junit`, `tap`, or the name of a plugin. Default: `reporter` of the config.',
      },
      { name: 'mutants', doc: 'Then change one field, bound or condition at a time, and list what no case notices.' },
      {
        name: 'coverage',
        doc: 'Then print which actionables, refusals and optional fields the cases reach, and the others.',
      },
      { name: 'coverage-file', value: 'FILE', doc: 'Write it as LCOV, or as JSON if the name ends with `.json`.' },
      { name: 'watch', doc: 'Run again after each save the cases that it can have changed.' },
      {
        name: 'debug',
        doc: 'Wait for a debugger on 127.0.0.1 before the first case; its port and token are in `.lintel/debug-test.json`, readable only by you. The run ends when it leaves.',
      },
      { name: 'update', doc: 'Write the values of `$snapshot` that are missing or differ into the test files.' },
      TRUST,
    ],
    examples: [
      'lintel test',
      'lintel test definitions/tests/notes.test.json',
      'lintel test --filter "sign up"',
      'lintel test --database',
      'lintel test --coverage-file lcov.info',
      'lintel test --debug --filter "sign up"',
    ],
    exits: [
      { code: 0, doc: 'All cases passed.' },
      { code: 1, doc: 'A case failed, the definitions have errors, or the debugger left before the last case.' },
      {
        code: 2,
        doc: 'No case was run: there are no test files, the file or `--filter` matches none, or an option is wrong.',
      },
    ],
    load: withSqlParser(async () => (await import('./test/command.js')).runTest),
  },
  audit: {
    usage: 'audit',
    summary: 'report security problems: callers, their rows, secrets',
    details:
      'The security problems of `check`, each with its certainty and a fix: row owners that the ' +
      'client chooses, reads and writes without the guard that others have, passwords in clear text, hashes in responses, keys ' +
      'of tokens that do not match, secrets in definitions. Acknowledge intended cases in the definition: ' +
      '`"acknowledge": [{"code": "...", "because": "..."}]`.',
    options: [TRUST, FORMAT('`pretty` (default), `json` or `sarif`.')],
    examples: ['lintel audit', 'lintel audit --format json'],
    exits: [
      { code: 0, doc: 'No problem, or all are acknowledged.' },
      { code: 1, doc: 'At least one problem.' },
    ],
    load: withSqlParser(async () => (await import('./check.js')).runAudit),
  },
  migrate: {
    usage: 'migrate',
    summary: 'show and apply the changes that the tables need',
    details:
      'Opens the connections that the definitions need, compares their tables with the models, shows the differences and ' +
      'adds what is missing, in one transaction per connection, without a time limit; `"migrate": false` in the config ' +
      'affects starts only. MySQL and MariaDB cannot roll back table changes: each is applied separately, and the next run ' +
      'continues. Nothing is dropped, renamed or narrowed: differences that need it are listed with `!` and what to ' +
      'do, and left unchanged without `--destroy`. With it, columns that are not in the models are ' +
      'dropped with their values, and types, NULL, bounds and foreign keys changed; the plan ' +
      'shows with `-` what is removed and how many values are lost, and asks first. A start never does that. Definitions with errors are rejected, unless the config has `"on_problem": "skip"`: then they are skipped.',
    options: [
      { name: 'dry-run', doc: 'Show the changes and apply none.' },
      { name: 'check', doc: 'As `--dry-run`, but exit code 1 if there are changes.' },
      { name: 'sql', doc: 'Show SQL statements instead of descriptions.' },
      { name: 'destroy', doc: 'Also apply destructive changes. Data is lost permanently: make a backup first.' },
      {
        name: 'fill',
        doc: 'Also fill the blind index of rows that were encrypted before their column had one, in batches, while servers run. The next run continues one that ended early.',
      },
      { name: 'yes', doc: 'With `--destroy`: do not ask. Required without a terminal.' },
      FORMAT('`pretty` (default) or `json`.'),
      TRUST,
    ],
    examples: [
      'lintel migrate --dry-run',
      'lintel migrate',
      'lintel migrate --destroy --dry-run',
      'lintel migrate --fill',
      'lintel migrate --check --format json',
    ],
    exits: [
      { code: 0, doc: 'The tables match the models; always with `--dry-run`.' },
      {
        code: 1,
        doc: 'Definitions with errors, a failed change, rows that `--fill` leaves without an index, or with `--check` pending changes.',
      },
    ],
    load: withSqlParser(async () => (await import('./migrate.js')).runMigrate),
  },
  ...SCHEMA_COMMANDS,
  jobs: {
    usage: 'jobs <list|show|retry|purge> <id>',
    summary: 'list, retry and purge jobs of the queue',
    details:
      '`list` (the default) shows the jobs of the queue, oldest first; `show` shows one job with its stored data, ' +
      'which contains no secrets; `retry` queues dead jobs again, with as many attempts as new ones; `purge` removes jobs that ' +
      'are not running. The id is that of the request, `x-request-id`; a second job of the same request ends in ' +
      '`.2`. `attempts` shows the attempts and their limit. Only the queue is opened, so a running server is not affected; but an embedded database can be opened by one ' +
      'process only, so stop the server first if it stores the queue. Jobs of removed definitions are listed too.',
    options: [
      { name: 'state', value: 'STATE', doc: 'For `list`: only jobs that are `waiting`, `running` or `dead`.' },
      { name: 'resource', value: 'ID', doc: 'For `list`: only jobs of this resource.' },
      { name: 'limit', value: 'COUNT', doc: 'For `list`: the maximum number of rows (default: 100).' },
      { name: 'all', doc: 'For `retry`: all dead jobs.' },
      { name: 'dead', doc: 'For `purge`: all dead jobs.' },
      FORMAT('`pretty` (default) or `json`.'),
      TRUST,
    ],
    examples: [
      'lintel jobs list --state dead',
      'lintel jobs show 0b6e1c1e-7f0f-4c9a-9a53-0d7c3f3a2d11',
      'lintel jobs retry --all',
      'lintel jobs purge --dead',
    ],
    exits: [OK, { code: 1, doc: 'No such job, no definition with a queue, or the queue cannot be opened.' }],
    load: withSqlParser(async () => (await import('./jobs.js')).runJobs),
  },
  backup: {
    usage: 'backup <folder>',
    summary: 'copy the embedded database and uploaded files, also of a running server',
    details:
      'Creates the folder with a copy of the data on this machine: the embedded database with its documents, jobs and ' +
      'schedules, and uploaded files in a folder. A running server continues; its statements wait while files are copied that ' +
      'changed since the first pass, 60 seconds at most. The copy is consistent at one instant. `manifest.json` has the ' +
      'size and SHA-256 of every file. Data on separate servers (PostgreSQL, MySQL, MongoDB, S3) is copied with the tools ' +
      'of that server: the command reports it and copies the rest. `.env` is not included; encrypted fields need its keys.',
    options: [{ name: 'verify', doc: 'Copy nothing; verify a copy against its manifest.' }, TRUST],
    examples: ['lintel backup /backups/monday', 'lintel backup --verify /backups/monday'],
    exits: [OK, { code: 1, doc: 'Nothing was copied, or with `--verify` a file differs; stderr has the reason.' }],
    load: async () => (await import('./backup.js')).runBackup,
  },
  restore: {
    usage: 'restore <folder>',
    summary: 'restore a copy of `lintel backup`',
    details:
      'Verifies the copy against its manifest, copies it next to the folders of the config and replaces them when it is complete. ' +
      'The server must not run. Folders that are not empty are rejected; with `--replace` they are renamed (`.before-` and ' +
      'the time) and kept until you remove them. If it is interrupted, nothing is lost: a server does not start on a partly ' +
      'restored folder, and the command can be run again.',
    options: [{ name: 'replace', doc: 'Rename and keep folders that are not empty.' }, TRUST],
    examples: ['lintel restore /backups/monday', 'lintel restore --replace /backups/monday'],
    exits: [OK, { code: 1, doc: 'A file is damaged, the server runs, or a folder is not empty; nothing was changed.' }],
    load: async () => (await import('./restore.js')).runRestore,
  },
  plan: {
    usage: 'plan <id>',
    summary: 'show the compiled plan of a resource',
    details:
      'The order of the actionables, transactions, statements and the source of each parameter. Jobs and ' +
      'scheduled runs are under `apart`, with schedule, delay (seconds) and retries. Name the resource ' +
      'by `id` or path. Connects to nothing; environment values are not shown.',
    options: [FORMAT('`pretty` (default) or `json`.'), TRUST],
    examples: ['lintel plan wallet-transfer-01', 'lintel plan wallet/transfer --format json'],
    exits: [OK, { code: 1, doc: 'The resource does not exist or has errors.' }],
    load: withSqlParser(async () => (await import('./plan.js')).printPlan),
  },
  ...TOOL_COMMANDS,
};

export const isCommand = (name: string): boolean => Object.hasOwn(COMMANDS, name);
