/** What a command is, and the parts that several commands share. */
import type { CommandDoc, OptionDoc } from '../language/export/command-doc.js';
import type { CommandOptions } from './options.js';
import type { Terminal } from './terminal.js';

/** Resolves to the exit code; for servers, after shutdown. */
export type Command = (options: CommandOptions, terminal: Terminal) => Promise<number>;

export interface CommandEntry extends CommandDoc {
  readonly load: () => Promise<Command>;
}

/** For commands that read definitions: loads PostgreSQL's parser in parallel. */
export const withSqlParser = (load: CommandEntry['load']) => (): Promise<Command> => {
  // Errors are reported where the parser is awaited.
  void import('../plugins/queries/sql/parser/load-parser.js')
    .then(({ loadSqlParser }) => loadSqlParser())
    .catch(() => undefined);
  return load();
};

export const FORMAT = (doc: string): OptionDoc => ({ name: 'format', value: 'FORMAT', doc });
export const TRUST: OptionDoc = {
  name: 'trust',
  doc: 'Run the code of plugins in folders of the project. Only for projects that you trust.',
};
export const OK = { code: 0, doc: 'Done.' };
export const FAILED = { code: 1, doc: 'Failed; stderr has the reason.' };
export const BROKEN = { code: 1, doc: 'The definitions or the config have errors, or a plugin cannot start.' };
