/** The facts that the walk collects in a definition for later stages. Types only, and an empty instance. */
import type { Json } from '../contract/json.js';
import type { PluginId } from '../contract/plugin.js';
import type { AccessorPart } from '../language/accessor.js';
import type { SqlScan } from '../language/sql.js';
import type { Refers, SymbolKind } from '../schema/meta.js';
import type { LocatedNode, Member } from '../source/tree.js';
import type { Spot } from './report.js';

export interface Declaration {
  readonly symbol: SymbolKind;
  readonly name: string;
  readonly spot: Spot;
  /** The value of a payload field or a model field. */
  readonly value: Json;
  /** The node of `value`; null if it is not written yet, or if the name has no value. */
  readonly node: LocatedNode | null;
  /** The value exists only after its actionable has run. */
  readonly late: boolean;
}

export interface Reference {
  readonly refers: Refers;
  readonly name: string | number;
  readonly node: LocatedNode;
  readonly spot: Spot;
  /** The resource named next to the list that contains this reference (`refers.within`), if any. */
  readonly within: { readonly name: string; readonly node: LocatedNode } | null;
}

/** A string that contains accessors. */
export interface AccessorText {
  readonly node: LocatedNode;
  readonly parts: readonly AccessorPart[];
  readonly roots: readonly string[] | undefined;
  readonly leaves: boolean;
  /** Resolved after the actionable has run. */
  readonly afterwards?: boolean;
  readonly secret: boolean;
  /** The only allowed use of the value, if it is restricted. */
  readonly purpose?: string | undefined;
  readonly place: string;
}

/** A SQL statement with the values of its placeholders, in order, and its sibling fields. */
export interface SqlText {
  readonly node: LocatedNode;
  readonly scan: SqlScan;
  readonly parameters: readonly LocatedNode[];
  /** The columns whose values must be unique. */
  readonly unique: LocatedNode | null;
  /** Set only if the switch is true. */
  readonly timestamps: LocatedNode | null;
  readonly softDelete: LocatedNode | null;
  /** `true`, or the name of the list whose items the statement is repeated for. */
  readonly each: LocatedNode | null;
  /** The object that contains the text. */
  readonly around: LocatedNode | null;
  /** The name of the field that holds `parameters`. */
  readonly binds: string | undefined;
  /** The kind of the store; null if the field does not specify it. */
  readonly store: string | null;
  readonly connection: LocatedNode | null;
}

/** A query written as an object that names its collection. */
export interface DocumentQuery {
  readonly node: LocatedNode;
  readonly collection: string;
  readonly joins: readonly LocatedNode[];
  /** The object that contains the name. */
  readonly around: LocatedNode;
  /** The values of its placeholders, in order. */
  readonly parameters: readonly LocatedNode[];
  readonly unique: LocatedNode | null;
  /** Set only if the switch is true. */
  readonly timestamps: LocatedNode | null;
  readonly softDelete: LocatedNode | null;
  readonly each: LocatedNode | null;
  readonly store: string | null;
  readonly connection: LocatedNode | null;
}

/** The fields of one plugin in one object, for the plugin's check and for the compiler. */
export interface PluginPlace {
  readonly plugin: PluginId;
  readonly slot: string;
  readonly node: LocatedNode;
  readonly value: Readonly<Record<string, Json>>;
  readonly holder: Readonly<Record<string, Json>>;
  /** True if the fields match the plugin's schema; the plugin's own check runs only then. */
  readonly sound: boolean;
}

export interface Finds {
  readonly declarations: Declaration[];
  readonly references: Reference[];
  readonly accessors: AccessorText[];
  readonly statements: SqlText[];
  readonly documents: DocumentQuery[];
  /** Members whose keys are written like accessors. */
  readonly accessorKeys: Member[];
  readonly texts: LocatedNode[];
  /** Objects that mark a literal value: `{"literal": "new"}`. */
  readonly literals: LocatedNode[];
  readonly places: PluginPlace[];
  readonly uses: Set<PluginId>;
}

export const noFinds = (): Finds => ({
  declarations: [],
  references: [],
  accessors: [],
  accessorKeys: [],
  statements: [],
  documents: [],
  texts: [],
  literals: [],
  places: [],
  uses: new Set(),
});
