/**
 * Types with which a plugin describes itself for OpenAPI: accepted values, changes of results, security and error responses.
 * Pure data and pure functions; nothing here runs with a request.
 */
import type { Json, JsonObject } from './json.js';
import type { FactValue } from './plugin.js';

/** JSON Schema, draft 2020-12. */
export type JsonSchema = JsonObject;

/**
 * The possible shapes of a result. Each is a list, one object, null or a scalar by itself, never a union, so that
 * changes can transform them one by one. `{}` is any value.
 */
export type Forms = readonly JsonSchema[];

export interface ApiField {
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** Uploaded files, by the name of their form part. Where there are any, the body is a multipart form. */
export interface ApiFile {
  readonly doc: string;
  /** Maximum number of files; 1 by default. */
  readonly most?: number;
  /** Maximum size of each file in bytes. */
  readonly bytes?: number;
  /** Media types and wildcards (`image/*`). */
  readonly types?: readonly string[];
}

export interface ApiRefusal {
  readonly code: string;
  /** Overrides the status of the catalogue. */
  readonly status?: number;
  readonly message?: string;
  /** Response headers and their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A security requirement. All requirements of a resource apply, except alternatives listed in `either`. */
export interface ApiSecurity {
  /** A short name; plugins with a different scheme of the same name receive a unique one. */
  readonly name: string;
  /** A Security Scheme Object of OpenAPI. */
  readonly scheme: JsonObject;
}

/** What a change may read in addition to the result itself. */
export interface ApiResults {
  /** Forms of the other actionables of the resource, latest first. */
  readonly others: readonly Forms[];
  /** Forms of an actionable of this resource; null where it does not run before. */
  readonly action: (id: number) => Forms | null;
  /** Names that are extracted from results or generated for the request. */
  readonly names: ReadonlySet<string>;
  /** Names that responses omit unless `returnables` names them. */
  readonly secrets: ReadonlySet<string>;
  /** The actionable whose result is the response, as written in the definition. */
  readonly main: Readonly<Record<string, Json>> | null;
}

/** How the plugin changes the result, and the phase in which its step does so. */
export interface ApiChange {
  readonly phase: number;
  /** Order within the phase, default 0. */
  readonly order?: number;
  readonly change: (forms: Forms, results: ApiResults) => Forms;
}

/** A message to connected clients. */
export interface ApiEvent {
  /** The event name. */
  readonly action: string;
  /** The target in one word: the name of a plugin. */
  readonly to: string;
}

/** OpenAPI facts of one use of a plugin; all fields are optional. */
export interface ApiPart {
  /** For plugins that describe values (types, accessors): the schema of valid values. */
  readonly value?: JsonSchema;
  /** Payload fields that are validated. */
  readonly fields?: Readonly<Record<string, ApiField>>;
  readonly files?: Readonly<Record<string, ApiFile>>;
  /** The schema of the whole body, where it is not an object of fields. */
  readonly body?: JsonSchema;
  /** Request headers, by name. */
  readonly headers?: Readonly<Record<string, ApiField & { readonly doc: string }>>;
  readonly security?: readonly ApiSecurity[];
  /** Slots of this resource whose security plugins are alternatives: one of them is enough. */
  readonly either?: readonly string[];
  readonly changes?: readonly ApiChange[];
  /** The response of a resource without actionables. */
  readonly instead?: JsonSchema;
  /** Headers of a successful response and their descriptions. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Error codes that this use can return; by default all codes of the plugin that have a status. */
  readonly refuses?: readonly (string | ApiRefusal)[];
  /** Error codes of subsequent plugins that cannot occur here. */
  readonly never?: readonly string[];
  /** The request may end here without an error; subsequent steps then return nothing. */
  readonly ends?: true;
  /** Needs an HTTP request: the resource cannot be called over a persistent connection. */
  readonly requestOnly?: true;
  readonly events?: readonly ApiEvent[];
  /** Sentences for the description of the operation. */
  readonly notes?: readonly string[];
}

/** Facts about the statement of an actionable that has exactly one. */
export interface ApiStatement {
  /** `SELECT`, `INSERT`, ...; empty when unknown. */
  readonly verb: string;
  /** The rows as an array schema; `minItems` and `maxItems` only where they are certain. */
  readonly rows: JsonSchema;
}

export interface ApiPlace {
  readonly slot: string;
  /** The plugin's own fields as written; for an accessor, `tail` is the text after the root. */
  readonly value: Readonly<Record<string, Json>>;
  readonly holder: Readonly<Record<string, Json>>;
  /** The complete definition or config file. */
  readonly root: Readonly<Record<string, Json>>;
  readonly facts: (kind: string, name: string) => Readonly<Record<string, FactValue>> | undefined;
  /** Whether any definition uses the plugin (`feature:returnables`). */
  readonly used: (plugin: string) => boolean;
  /** The schema that another plugin declares for values written this way. */
  readonly valueOf: (kind: string, name: string, written: Readonly<Record<string, Json>>) => JsonSchema;
  /** The schema of a value of the definition, with accessors resolved. */
  readonly written: (json: Json) => JsonSchema;
  /** The schema of a payload field or a nested path; null when unknown. */
  readonly payload: (path: readonly string[]) => JsonSchema | null;
  readonly statement: () => ApiStatement | null;
  /** Whether the resource itself produces this payload name, from a result or by generation. */
  readonly isMade: (name: string) => boolean;
  /** The work is repeated for each item of a list. */
  readonly repeated: boolean;
}
