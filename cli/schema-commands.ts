/** Commands that write definitions from what exists: a database, a model. */
import { FORMAT, TRUST, withSqlParser, type CommandEntry } from './command-entry.js';

export const SCHEMA_COMMANDS: Readonly<Record<string, CommandEntry>> = {
  import: {
    usage: 'import',
    summary: 'write models of the tables of an existing database',
    details:
      'Reads the tables of PostgreSQL, MySQL or MariaDB, and changes nothing there. Each table becomes a model with types, keys, ' +
      'unique fields, indexes, foreign keys, bounds and comments, in a file of its own. What a model cannot say (a check, a default, ' +
      'a view, a name with blanks) is listed with the table, the column and the reason. Models that exist are compared with their ' +
      'tables and never overwritten without `--force`. `lintel migrate` has nothing to add to an imported table.',
    options: [
      {
        name: 'url',
        value: 'URL',
        doc: 'The database, instead of the connection of the config. `$ENV.NAME` reads a variable.',
      },
      { name: 'connection', value: 'NAME', doc: 'The connection of the config (default: `main`).' },
      { name: 'tables', value: 'NAMES', doc: 'Only these tables, separated by commas.' },
      { name: 'out', value: 'FOLDER', doc: 'The folder of the models (default: `definitions/models`).' },
      { name: 'dry-run', doc: 'Print the models and write nothing.' },
      { name: 'force', doc: 'Write existing model files of this folder again. Changes in them are lost.' },
      FORMAT('`pretty` (default) or `json`.'),
      TRUST,
    ],
    examples: [
      'lintel import',
      'lintel import --dry-run --tables orders,customers',
      "lintel import --url '$ENV.OLD_DATABASE_URL'",
    ],
    exits: [
      { code: 0, doc: 'Done, also if there are differences.' },
      { code: 1, doc: 'The database cannot be read, or a file cannot be written.' },
      { code: 2, doc: 'There is no such connection or table.' },
    ],
    load: withSqlParser(async () => (await import('./import/command.js')).runImport),
  },
};
