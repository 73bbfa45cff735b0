/** Commands that write definitions from what exists: a database, a model. */
import { FORMAT, OK, TRUST, withSqlParser, type CommandEntry } from './command-entry.js';

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
        doc: 'The database, instead of the connection of the config. A variable of the environment is named as in the config.',
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
      'lintel import --url postgres://reader@db.example.com/shop',
    ],
    exits: [
      { code: 0, doc: 'Done, also if there are differences.' },
      { code: 1, doc: 'The database cannot be read, or a file cannot be written.' },
      { code: 2, doc: 'There is no such connection or table.' },
    ],
    load: withSqlParser(async () => (await import('./import/command.js')).runImport),
  },
  add: {
    usage: 'add crud <model>',
    summary: 'write resources that list, read, create, update and delete rows of a model, with tests',
    details:
      'Writes one file of resources and one of tests, which the project owns from then on: nothing is generated again. The list is ' +
      'filtered by fields, sorted (`"sort": "-created_at"`) and continues behind the last row of a page (`after_` and the key). ' +
      'The resources have the guard of the others. If a field refers to the model of the signed-in user, every statement is limited to ' +
      'rows of the caller; `--owner` names the field. Existing files and resources are never overwritten. `lintel test` passes.',
    options: [
      { name: 'owner', value: 'FIELD', doc: 'The field with the signed-in user.' },
      { name: 'dry-run', doc: 'Print the files and write nothing.' },
      TRUST,
    ],
    examples: ['lintel add crud orders', 'lintel add crud _note --owner user_id'],
    exits: [OK, { code: 1, doc: 'No such model or field, or a file or resource exists already; nothing was written.' }],
    load: withSqlParser(async () => (await import('./add/command.js')).runAdd),
  },
};
