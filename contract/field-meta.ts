/**
 * Metadata of fields, read by checker, editors and reference. Data only; folding removes the functions `inner` and
 * `options`.
 */
import type { Json } from './json.js';
import type { CommonMistakes } from './common-mistakes.js';
import type { DocumentForm } from './document-form.js';
import type { NameFlow } from './name-flow.js';

/**
 * Names that all definitions share: whatever writes the same constant text means the same one. Accessors between the constant
 * parts are values, which may differ.
 */
export type SharedKind = 'cache-key' | 'room' | 'event';

/** What a name in a definition can refer to. */
export type SymbolKind =
  | SharedKind
  | 'resource'
  | 'action'
  | 'model'
  | 'model-field'
  | 'payload-field'
  | 'name'
  | 'generated'
  | 'claim'
  | 'issued-claim'
  | 'secret'
  | 'value';

export interface Refers {
  readonly symbol: SymbolKind;
  /** A reference only if a sibling of the list (or field) around it has this value. */
  readonly when?: { readonly field: string; readonly is: string };
  /** A name that an actionable produces is valid too. */
  readonly named?: boolean;
  /** A string that refers to nothing is a literal, not an error. */
  readonly soft?: boolean;
  /** With `soft`: must be a name if it looks like one, `field` has the value `is` and `without` is absent. */
  readonly firm?: { readonly field: string; readonly is: string; readonly without: string };
  /** Sibling (of the list that contains this item) with the resource id, or `self`. */
  readonly within?: string;
  /** The actionable that contains this reference depends on the referenced one. */
  readonly edge?: boolean;
  /** With `edge`: names of this actionable get their values from the referenced one. */
  readonly feeds?: boolean;
  /** A path (symbol `value`) into the results of dependencies, or without any, its own. */
  readonly extracted?: boolean;
}

/** Member names that are valid at one place inside a value. */
export interface NamePlace {
  /** Fields of the query's model; the value is the place below each, empty if unspecified. */
  readonly fields?: string;
  /** Names that the query creates; the value is the place below each. */
  readonly made?: string;
  /** Other valid names with their documentation. */
  readonly words?: Readonly<Record<string, string>>;
  /** The place below each of these names; absent if unspecified. */
  readonly behind?: Readonly<Record<string, string>>;
  /** Meaning of a non-value string here: a field path (`"$name"`), a field name, a collection. */
  readonly text?: 'path' | 'field' | 'collection';
  /** For pipelines: how each stage of `words` changes the names of fields. */
  readonly flows?: Readonly<Record<string, NameFlow>>;
  /** The member that names another collection, and the members about its documents. */
  readonly elsewhere?: { readonly named: string; readonly about: readonly string[] };
}

/** At any depth; lists have the place of their container. */
export interface MemberNames {
  readonly start: string;
  readonly places: Readonly<Record<string, NamePlace>>;
}

export interface FieldMeta {
  /** One or two sentences, Markdown. */
  readonly doc: string;
  readonly examples?: readonly Json[];
  /** Shown as the valid form when a value has the wrong type. */
  readonly form?: string;
  /** What a string, number or boolean in the object's place means: the value of a field, or `{}`. */
  readonly short?: Readonly<Partial<Record<'string' | 'number' | 'boolean', string>>>;
  /** For an object: commonly mistaken keys and their corrections. */
  readonly mistaken?: CommonMistakes;
  readonly since?: string;
  readonly deprecated?: { readonly since: string; readonly message: string; readonly replacedBy?: string };
  /** The value is sensitive: hidden in plans and logs. */
  readonly secret?: boolean;
  /** A plural noun; a variable may serve one purpose only. */
  readonly purpose?: string;
  /** Valid accessor roots; absent means all. */
  readonly roots?: readonly string[];
  /** The value may reach a client, so secrets in it are rejected. */
  readonly leaves?: boolean;
  /** The value leaves for another system or other clients, so a secret in it is a warning. */
  readonly sent?: boolean;
  /** Read after the actionable, so names of its result are valid. */
  readonly afterwards?: boolean;
  /** A `zone` applies to sibling `cron` values, or to those without a zone. */
  readonly language?: 'sql' | 'collection' | 'cron' | 'zone';
  /**
   * A path relative to the config file's folder, a pattern or a URL. `sibling`: of a file, relative to the folder of the file that
   * names it.
   */
  readonly path?: 'folder' | 'file' | 'sibling';
  /** Plugin kind of the stores that run this text. */
  readonly store?: string;
  /** Sibling list with the values of the placeholders in this text. */
  readonly binds?: string;
  /** The query around the name of a collection. */
  readonly documents?: DocumentForm;
  /** Siblings that change the effect of this text. */
  readonly beside?: {
    /** Name of a connection. */
    readonly connection?: string;
    /** A list of columns, or of lists of columns, with unique values. */
    readonly unique?: string;
    /** A boolean, or its several names: the statement sets timestamps. */
    readonly timestamps?: string | readonly string[];
    /** A boolean: the statement marks rows as deleted. */
    readonly softDelete?: string;
    /** True, or the name of a list: the statement runs once for each item. */
    readonly each?: string;
  };
  /** Completion where `values`, `plugin`, `refers` and `declares` do not apply (of a map: its keys). */
  readonly complete?: {
    /** Name of a completion source, as known to the editors. */
    readonly source: string;
    /** The kind of a connection, or `answer` for response headers. */
    readonly of?: string;
  };
  /** For a value with objects: the usual member names. Rejects nothing. */
  readonly members?: MemberNames;
  readonly enumDocs?: Readonly<Record<string, string>>;
  /** Label of a list item in messages. */
  readonly itemLabel?: string;
  readonly unit?: string;
  readonly advanced?: boolean;
  readonly default?: Json;
  /** The string is the name of a plugin of this kind. */
  readonly plugin?: string;
  /** The string (or each key of a record) declares a name of this kind. */
  readonly declares?: SymbolKind;
  /** The name has a value only after the actionable has run, unless the actionable has dependencies. */
  readonly late?: boolean;
  readonly refers?: Refers;
  /** The object `{"literal": ...}` contains a literal, where a bare text is a name. */
  readonly verbatim?: boolean;
  /** Of tests: an object with keys that begin with `$` has the fields of matchers. */
  readonly matched?: boolean;
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
