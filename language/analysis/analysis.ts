/** The result of an analysis: for the compiler and editors. */
import type { StatementNames } from '../../contract/statement-text.js';
import type { PluginId } from '../../contract/plugin.js';
import type { Problem } from '../../contract/problem.js';
import type { Document } from '../source/document.js';
import type { LocatedNode } from '../source/tree.js';
import type { LinkedGroup } from './link-group.js';
import type { CheckableQuery, CheckableStatement, DataModel, Definition, ResourceModel } from './model.js';

export interface Analysis {
  /** Valid and invalid definitions, in the order of the files. */
  readonly definitions: readonly Definition[];
  /** Of the test files; not part of `definitions`. */
  readonly tests: readonly Definition[];
  readonly resources: readonly ResourceModel[];
  readonly models: readonly DataModel[];
  readonly problems: readonly Problem[];
  /** The number of silenced problems. */
  readonly acknowledged: number;
  readonly uses: ReadonlySet<PluginId>;
  readonly documents: ReadonlyMap<string, Document>;
  /** By statement; only if it parses completely. */
  readonly names: ReadonlyMap<LocatedNode, StatementNames>;
  /** The statements without known errors, for a database to check. */
  readonly checkableStatements: readonly CheckableStatement[];
  /** The same for document queries. */
  readonly checkableQueries: readonly CheckableQuery[];
  /** The linked resources, for what follows values. */
  readonly groups: readonly LinkedGroup[];
}
