/**
 * Typed metadata of every field that a definition or config file may hold. The schema library keeps it on the field;
 * checker, editors and reference pages read it. Data only; the functions, `inner` and `options`, are set by combinators and
 * folded away.
 */
import type { Json } from '../contract/json.js';
import type { Mistaken } from '../contract/mistaken.js';
import type { NameFlow } from './name-flow.js';

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
  /** With `soft`: what looks like a name is one where a sibling of the list has this value, and another sibling is not there. */
  readonly firm?: { readonly field: string; readonly is: string; readonly without: string };
  /** Sibling (of the list this item stands in) that holds the resource id; `self` there is the current resource. */
  readonly within?: string;
  /** The actionable around this reference has to wait for the one it names. */
  readonly edge?: boolean;
  /** With `edge`: names of the actionable around this reference take their values from the one it names. */
  readonly feeds?: boolean;
  /** A path (symbol `value`) into the result of what this actionable waits for; without that, into its own. */
  readonly extracted?: boolean;
}

/** Names of members at one place inside a value. */
export interface NamePlace {
  /** Fields of the model of the query may stand here; the place behind each, empty where nothing is said of it. */
  readonly fields?: string;
  /** Names that the query makes up may stand here; the place behind each. */
  readonly made?: string;
  /** Other names, with what they mean. */
  readonly words?: Readonly<Record<string, string>>;
  /** The place behind one of these names; absent where nothing is said of it. */
  readonly behind?: Readonly<Record<string, string>>;
  /** What a text at this place is, where it is no value: the path of a field (`"$name"`), its bare name, a collection. */
  readonly text?: 'path' | 'field' | 'collection';
  /** Of a list in which one stands behind the other: what each name of `words` makes of the names that documents have. */
  readonly flows?: Readonly<Record<string, NameFlow>>;
  /** The member in which another collection is named, and those that are about its documents. */
  readonly elsewhere?: { readonly named: string; readonly about: readonly string[] };
}

/** Names of members inside a value, at any depth; lists have the places of what holds them. */
export interface MemberNames {
  readonly start: string;
  readonly places: Readonly<Record<string, NamePlace>>;
}

export interface FieldMeta {
  /** One or two sentences, Markdown. */
  readonly doc: string;
  readonly examples?: readonly Json[];
  /** The right form in JSON, shown where something of another type is written. */
  readonly form?: string;
  /**
   * Of an object: what is meant where only a text, a number or a switch is written in its place. The field that it is the value
   * of, or `{}` for the object without any.
   */
  readonly short?: Readonly<Partial<Record<'string' | 'number' | 'boolean', string>>>;
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
  /** Read when the work of the actionable around it is done: names that its own result gives may stand here. */
  readonly afterwards?: boolean;
  /**
   * Language of the text in this string; editors offer what it can be without `complete`. A `zone` is the one in which a
   * `cron` beside it, or one without any, is meant.
   */
  readonly language?: 'sql' | 'collection' | 'cron' | 'zone';
  /** The text names something on disk, from the folder of the config file on; patterns and addresses may stand there too. */
  readonly path?: 'folder' | 'file';
  /** The kind of the stores on which the text in this string runs. */
  readonly store?: string;
  /** Sibling list whose items are the values of the placeholders in this text. */
  readonly binds?: string;
  /** Siblings that change what this text does. */
  readonly beside?: {
    /** The name of a connection. */
    readonly connection?: string;
    /** Stages in which other collections are named that are read too. */
    readonly joins?: string;
    /** A list of columns, or of lists of columns, whose values must be free. */
    readonly unique?: string;
    /** A switch, or the several names that it has: the statement dates what it writes. */
    readonly timestamps?: string | readonly string[];
    /** A switch: the statement marks rows as deleted. */
    readonly softDelete?: string;
    /** True, or the name of a list: the statement runs once for each item. */
    readonly each?: string;
  };
  /**
   * What editors offer here (of a map: as its keys), where neither `values`, `plugin`, `refers` nor `declares` tells. Never judged:
   * other names are as good.
   */
  readonly complete?: {
    /** The name of a source of names; editors know which ones there are. */
    readonly source: string;
    /** What the names are of, where the source asks: the kind of a connection, `answer` for the headers of an answer. */
    readonly of?: string;
  };
  /** Of a value that holds objects: which names stand in them. Says what is usual, and refuses nothing. */
  readonly members?: MemberNames;
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
  /** Of a value whose bare text is a name: an object `{"literal": ...}` is the value in it, as it is written. */
  readonly verbatim?: boolean;
  /** Set by combinators only. */
  readonly parts?: readonly string[];
  readonly shape?: 'record' | 'value' | 'slot' | 'either';
  readonly inner?: () => unknown;
  readonly options?: () => readonly unknown[];
}

declare module 'yup' {
  // oxlint-disable-next-line typescript/no-empty-object-type -- the library is extended by merging an interface
  interface CustomSchemaMetadata extends FieldMeta {}
}
