/**
 * What the walk finds in a definition for the stages after it: names declared and referred to, strings with accessors,
 * SQL texts, places of plugins. Data only.
 */
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
  /** The declared thing's own value, for payload fields and model fields. */
  readonly value: Json;
  /** Where that value stands; null while it is still to be typed, and for names without one. */
  readonly node: LocatedNode | null;
  /** A name whose value exists only when its actionable has run. */
  readonly late: boolean;
}

export interface Reference {
  readonly refers: Refers;
  readonly name: string | number;
  readonly node: LocatedNode;
  readonly spot: Spot;
  /** The resource named beside the list this reference stands in (`refers.within`), if it is there. */
  readonly within: { readonly name: string; readonly node: LocatedNode } | null;
}

/** A string in which accessors were found. */
export interface AccessorText {
  readonly node: LocatedNode;
  readonly parts: readonly AccessorPart[];
  readonly roots: readonly string[] | undefined;
  readonly leaves: boolean;
  /** Read when the work of the actionable around it is done. */
  readonly afterwards?: boolean;
  /** The value is sensitive. */
  readonly secret: boolean;
  /** What the value is for, where it may serve nothing else. */
  readonly purpose?: string | undefined;
  readonly place: string;
}

/** A statement, the values for its placeholders in order, and what stands beside it. */
export interface SqlText {
  readonly node: LocatedNode;
  readonly scan: SqlScan;
  readonly parameters: readonly LocatedNode[];
  /** Columns whose values must be free. */
  readonly unique: LocatedNode | null;
  /** Switches that are on. */
  readonly timestamps: LocatedNode | null;
  readonly softDelete: LocatedNode | null;
  /** True, or the name of the list for whose items the statement is repeated. */
  readonly each: LocatedNode | null;
  /** The object that the text stands in. */
  readonly around: LocatedNode | null;
  /** Name of the list that `parameters` are. */
  readonly binds: string | undefined;
  /** The kind of the stores that it can run on; null where the field does not say. */
  readonly store: string | null;
  /** The connection that it names. */
  readonly connection: LocatedNode | null;
}

/** A query in the form of an object, of a collection that it names. */
export interface DocumentQuery {
  /** The name of the collection. */
  readonly node: LocatedNode;
  readonly collection: string;
  /** The names of the other collections that it reads. */
  readonly joins: readonly LocatedNode[];
  /** The object that the name stands in. */
  readonly around: LocatedNode;
  /** Values for its placeholders, in order. */
  readonly parameters: readonly LocatedNode[];
  readonly unique: LocatedNode | null;
  /** Switches that are on. */
  readonly timestamps: LocatedNode | null;
  readonly softDelete: LocatedNode | null;
  readonly each: LocatedNode | null;
  readonly store: string | null;
  readonly connection: LocatedNode | null;
}

/** A plugin's own fields in one object, for its check and for the compiler. */
export interface PluginPlace {
  readonly plugin: PluginId;
  readonly slot: string;
  readonly node: LocatedNode;
  readonly value: Readonly<Record<string, Json>>;
  readonly holder: Readonly<Record<string, Json>>;
  /** The plugin's fields have the shape that its schema wants; only then is its own check asked. */
  readonly sound: boolean;
}

export interface Finds {
  readonly declarations: Declaration[];
  readonly references: Reference[];
  readonly accessors: AccessorText[];
  readonly statements: SqlText[];
  readonly documents: DocumentQuery[];
  /** Fields whose names are written like accessors. */
  readonly accessorKeys: Member[];
  /** Strings that are values: literals, or text with accessors. */
  readonly texts: LocatedNode[];
  /** Objects that say of the value in them that it is one: `{"literal": "new"}`. */
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
