/**
 * Typed metadata of every field that a definition or config file may hold. The schema library keeps it on the field;
 * checker, editors and reference pages read it. Data only; the functions, `inner` and `options`, are set by combinators and
 * folded away.
 */
import type { Json } from '../contract/json.js';
import type { Mistaken } from '../contract/mistaken.js';

/** What a name in a definition can stand for. */
export type SymbolKind =
  | 'resource'
  | 'action'
  | 'model'
  | 'model-field'
  | 'payload-field'
  | 'name'
  | 'generated'
  | 'claim'
  | 'secret'
  | 'value';

export interface Refers {
  readonly symbol: SymbolKind;
  /** Refers only where a sibling of the list (or field) around it has this value. */
  readonly when?: { readonly field: string; readonly is: string };
  /** Of a payload field: a name that an actionable gives will do too. */
  readonly named?: boolean;
  /** A string that names nothing is a literal, not a mistake. */
  readonly soft?: boolean;
  /** Sibling (of the list this item stands in) that holds the resource id; `self` there is the current resource. */
  readonly within?: string;
  /** The actionable around this reference has to wait for the one it names. */
  readonly edge?: boolean;
  /** With `edge`: names of the actionable around this reference take their values from the one it names. */
  readonly feeds?: boolean;
  /** A path (symbol `value`) into the result of what this actionable waits for; without that, into its own. */
  readonly extracted?: boolean;
}

export interface FieldMeta {
  /** One or two sentences, Markdown. */
  readonly doc: string;
  readonly examples?: readonly Json[];
  /** The right form in JSON, shown where something of another type is written. */
  readonly form?: string;
  /** On an object: keys that people invent in it, and what is right. */
  readonly mistaken?: Mistaken;
  readonly since?: string;
  readonly deprecated?: { readonly since: string; readonly message: string; readonly replacedBy?: string };
  /** The value is sensitive: hidden in plans and logs. */
  readonly secret?: boolean;
  /** What the secret is for, as plural words; one variable serves one purpose. */
  readonly purpose?: string;
  /** Accessor roots that may stand here; absent means all. */
  readonly roots?: readonly string[];
  /** What is written here can reach a client: accessors with secret values are refused. */
  readonly leaves?: boolean;
  /** Language of the text in this string. */
  readonly language?: 'sql';
  /** Sibling list whose items are the values of the placeholders in this text. */
  readonly binds?: string;
  /** Siblings that change what this text does. */
  readonly beside?: {
    /** A list of columns, or of lists of columns, whose values must be free. */
    readonly unique?: string;
    /** A switch: the statement dates what it writes. */
    readonly timestamps?: string;
    /** A switch: the statement marks rows as deleted. */
    readonly softDelete?: string;
    /** True, or the name of a list: the statement runs once for each item. */
    readonly each?: string;
  };
  readonly enumDocs?: Readonly<Record<string, string>>;
  /** How one item of this list is called in messages. */
  readonly itemLabel?: string;
  readonly unit?: string;
  readonly advanced?: boolean;
  readonly default?: Json;
  /** The string is the name of a plugin of this kind. */
  readonly plugin?: string;
  /** The string (or each key, on a record) introduces a name of this sort. */
  readonly declares?: SymbolKind;
  /** The name that is declared here has its value only when the actionable has run, unless that waits for others. */
  readonly late?: boolean;
  readonly refers?: Refers;
  /** Set by combinators only. */
  readonly parts?: readonly string[];
  readonly shape?: 'record' | 'value' | 'slot' | 'either';
  readonly inner?: () => unknown;
  readonly options?: () => readonly unknown[];
}

declare module 'yup' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- the library is extended by merging an interface
  interface CustomSchemaMetadata extends FieldMeta {}
}
