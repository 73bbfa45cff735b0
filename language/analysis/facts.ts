/** What the walk collects in a definition for later stages. */
import type { DocumentForm } from '../../contract/document-form.js';
import type { QueryLanguage } from '../../contract/query-language.js';
import type { StatementText } from '../../contract/statement-text.js';
import type { Json } from '../../contract/json.js';
import type { PluginId } from '../../contract/plugin.js';
import type { AccessorPart } from '../strings/accessor.js';
import type { Refers, SharedKind, SymbolKind } from '../../contract/field-meta.js';
import type { LocatedNode, Member } from '../source/tree.js';
import type { SourceLocation } from './report.js';

export interface Declaration {
  readonly symbol: SymbolKind;
  readonly name: string;
  readonly spot: SourceLocation;
  /** The value of a payload field or a model field. */
  readonly value: Json;
  /** Null if `value` is not written yet or the name has none. */
  readonly node: LocatedNode | null;
  /** The value exists only after its actionable has run. */
  readonly late: boolean;
}

export interface Reference {
  readonly refers: Refers;
  readonly name: string | number;
  readonly node: LocatedNode;
  readonly spot: SourceLocation;
  /** The resource named next to the list of this reference (`refers.within`), if any. */
  readonly within: { readonly name: string; readonly node: LocatedNode } | null;
}

/** A name that all definitions share: constant text, and accessors as values. */
export interface SharedName {
  readonly symbol: SharedKind;
  readonly role: 'declaration' | 'use';
  /** As written. */
  readonly name: string;
  readonly node: LocatedNode;
}

export interface AccessorText {
  readonly node: LocatedNode;
  readonly parts: readonly AccessorPart[];
  readonly roots: readonly string[] | undefined;
  readonly leaves: boolean;
  /** Sent to another system or to receivers of messages. */
  readonly sent?: boolean;
  /** Resolved after the actionable has run. */
  readonly afterwards?: boolean;
  readonly secret: boolean;
  /** The only allowed use of the value, if it is restricted. */
  readonly purpose?: string | undefined;
  readonly place: string;
}

/** A statement that is written as text, with its placeholder values and sibling fields. */
export interface SqlText {
  readonly node: LocatedNode;
  readonly language: QueryLanguage;
  readonly scan: StatementText;
  readonly parameters: readonly LocatedNode[];
  /** The columns that must be unique. */
  readonly unique: LocatedNode | null;
  /** Null unless the switch is true. */
  readonly timestamps: LocatedNode | null;
  readonly softDelete: LocatedNode | null;
  /** `true`, or the name of the list to repeat the statement for. */
  readonly each: LocatedNode | null;
  /** The object that contains the text. */
  readonly around: LocatedNode | null;
  /** The name of the field that holds `parameters`. */
  readonly binds: string | undefined;
  /** The kind of the store; null if unspecified. */
  readonly store: string | null;
  readonly connection: LocatedNode | null;
}

/** A query written as an object that names its collection. */
export interface DocumentQuery {
  readonly node: LocatedNode;
  readonly collection: string;
  /** Null unless its spec declares one. */
  readonly form: DocumentForm | null;
  readonly joins: readonly LocatedNode[];
  /** The object that contains the name. */
  readonly around: LocatedNode;
  readonly parameters: readonly LocatedNode[];
  readonly unique: LocatedNode | null;
  /** Null unless the switch is true. */
  readonly timestamps: LocatedNode | null;
  readonly softDelete: LocatedNode | null;
  readonly each: LocatedNode | null;
  readonly store: string | null;
  readonly connection: LocatedNode | null;
}

/** The fields of one plugin in one object, for its check and the compiler. */
export interface PluginUsage {
  readonly plugin: PluginId;
  readonly slot: string;
  readonly node: LocatedNode;
  readonly value: Readonly<Record<string, Json>>;
  readonly holder: Readonly<Record<string, Json>>;
  /** True if the fields match the plugin's schema; its own check runs only then. */
  readonly sound: boolean;
}

export interface WalkResult {
  readonly declarations: Declaration[];
  readonly references: Reference[];
  readonly sharedNames: SharedName[];
  readonly accessors: AccessorText[];
  readonly statements: SqlText[];
  readonly documents: DocumentQuery[];
  readonly accessorKeys: Member[];
  readonly texts: LocatedNode[];
  /** Objects such as `{"literal": "new"}`. */
  readonly literals: LocatedNode[];
  readonly places: PluginUsage[];
  /** Fields of plugins that are not there, so what they declare is unknown. */
  readonly absent: Member[];
  readonly uses: Set<PluginId>;
  /** The walk has reported something, which may depend on fields that the definition does not have. */
  isReported: boolean;
}

export const createWalkResult = (): WalkResult => ({
  declarations: [],
  references: [],
  sharedNames: [],
  accessors: [],
  accessorKeys: [],
  statements: [],
  documents: [],
  texts: [],
  literals: [],
  places: [],
  absent: [],
  uses: new Set(),
  isReported: false,
});

/** Gives back the room that lists have to grow; to be called when everything is found. */
export function trimWalkResult(finds: WalkResult): void {
  for (const [name, list] of Object.entries(finds)) if (Array.isArray(list)) Reflect.set(finds, name, list.slice());
}
