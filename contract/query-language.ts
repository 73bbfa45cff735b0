/**
 * A query language that is written as text (`text({ language })`), implemented by its plugin: `language` and `kernel` know no grammar.
 */
import type { JsonSchema } from './api.js';
import type { JsonObject } from './json.js';
import type { Params } from './problem.js';
import type { StatementDescription } from './statement-check.js';
import type {
  BlindTable,
  BlindUses,
  Catalogue,
  ColumnMention,
  Columns,
  ColumnUse,
  FindKeys,
  MetColumn,
  NameInText,
  Revealer,
  StatementAccess,
  StatementName,
  StatementNames,
  StatementText,
  StoredObject,
  TextSpan,
  UnboundedChange,
  WrittenPart,
} from './statement-text.js';

export interface SyntaxFault {
  readonly message: string;
  readonly at: number;
}

/** The trees are those of the language's own parser. */
export type ParsedStatements =
  | { readonly statements: readonly JsonObject[]; readonly fault: null }
  | { readonly statements: null; readonly fault: SyntaxFault };

export interface StatementParser {
  /** The dialect, in the form that stores declare. */
  readonly syntax: string;
  /** Never throws. */
  parse(text: string): ParsedStatements;
}

export interface CachedParser extends StatementParser {
  /** True if the parser was replaced: the analysis is invalid. */
  loadMissing(): Promise<boolean>;
  /** Writes new statements to the file. Ignores errors: the folder may be read-only. */
  writeChanges(): Promise<void>;
}

export interface ParserSource {
  loadParser(): Promise<StatementParser>;
  openCache(folder: string): Promise<CachedParser>;
}

export interface StatementToCheck {
  readonly scan: StatementText;
  readonly parser: StatementParser;
  readonly catalogue: Catalogue;
  /** The store has another syntax than the parser. */
  readonly isForeign: boolean;
  /** The field that lists the values. */
  readonly binds: string;
  readonly isDated: boolean;
  /** Whether the name is used outside the statement. */
  readonly isNamed: (column: string) => boolean;
}

export interface StatementFix {
  readonly title: string;
  /** Replaces the span of the finding, if there are no edits. */
  readonly text: string;
  readonly edits?: readonly (TextSpan & { readonly text: string })[];
  /** The author must review the result. */
  readonly asks?: true;
}

export interface StatementFinding extends TextSpan {
  readonly code: string;
  readonly params: Params;
  readonly fix?: StatementFix;
  /** The same in all findings of one cause: `case NAME` for a name in another case. */
  readonly cause?: string;
}

export interface CheckedStatement {
  readonly findings: readonly StatementFinding[];
  /** The names of the result; undefined if the statement must not run or is only known in part. */
  readonly columns: Columns | undefined;
  /** Null if the statement was not read. */
  readonly uses: readonly ColumnUse[] | null;
  readonly names: StatementNames | null;
}

export interface DescribedTable {
  readonly columns: ReadonlyMap<string, JsonSchema>;
  /** Combinations of columns that are unique. */
  readonly uniques: readonly (readonly string[])[];
}

export interface RowsToDescribe {
  readonly parser: StatementParser | undefined;
  readonly findTable: (name: string) => DescribedTable | undefined;
  readonly isForeign: boolean;
  readonly description: StatementDescription | null;
}

export interface QueryLanguage {
  readonly name: string;
  /** Accepts any text. */
  read(text: string): StatementText;
  /** With the full parser, against the models. Reports only certain errors. */
  check(statement: StatementToCheck): CheckedStatement;
  /** For isolation and locks. */
  describeAccess(scan: StatementText, keysOf: FindKeys): StatementAccess;
  describeRows(scan: StatementText, input: RowsToDescribe): JsonSchema;
  createRevealer(scan: StatementText): Revealer;
  readObjects(script: string): readonly StoredObject[];
  listNames(scan: StatementText): readonly NameInText[];
  /** Uses of these columns, with the tables that may have them. */
  listMentions(scan: StatementText, columns: readonly string[]): readonly ColumnMention[];
  listWrittenParts(scan: StatementText): readonly WrittenPart[];
  /** The columns that the modifiers of a query write in addition. */
  listStamped(
    scan: StatementText,
    modifiers: { readonly timestamps: boolean; readonly softDelete: boolean },
  ): readonly string[];
  /** The columns that the value of placeholder `n` is written to or equals. */
  listMetColumns(
    scan: StatementText,
    n: number,
    hasColumn: (table: string, column: string) => boolean,
  ): readonly MetColumn[];
  /** Null if the statement uses no column with a blind index. */
  findBlindUses(scan: StatementText, tables: readonly BlindTable[]): BlindUses | null;
  findUnboundedChanges(scan: StatementText): readonly UnboundedChange[];
  /** Without locks, and without calls that may write. */
  isReadOnly(scan: StatementText): boolean;
  /** Null without conditions. */
  findCondition(scan: StatementText): number | null;
  isCast(scan: StatementText, n: number): boolean;
  /** A function that is not known may read any table. */
  hasUnknownCalls(scan: StatementText): boolean;
  locateNames(scan: StatementText, names: readonly StatementName[]): readonly TextSpan[];
  /** The token at or after the offset, else the last. */
  locateToken(scan: StatementText, offset: number): TextSpan;
}
