/** How a plugin describes itself for OpenAPI. Pure data and functions. */
import type { Json, JsonObject } from './json.js';
import type { PluginFacts } from './facts.js';

/** JSON Schema, draft 2020-12. */
export type JsonSchema = JsonObject;

/** The possible shapes of a result: a list, one object, null or a scalar each, never a union. `{}` is any value. */
export type Forms = readonly JsonSchema[];

export interface ApiField {
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** With any uploaded files, the body is a multipart form. */
export interface ApiFile {
  readonly doc: string;
  /** Maximum number of files; 1 by default. */
  readonly most?: number;
  /** Of each file. */
  readonly bytes?: number;
  /** Media types and wildcards (`image/*`). */
  readonly types?: readonly string[];
}

export interface ApiError {
  readonly code: string;
  /** Overrides the catalogue. */
  readonly status?: number;
  readonly message?: string;
  /** Response headers and their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** All requirements of a resource apply, except the alternatives in `either`. */
export interface ApiSecurity {
  /** A short name; a different scheme of the same name receives another one. */
  readonly name: string;
  /** An OpenAPI Security Scheme Object. */
  readonly scheme: JsonObject;
}

/** What a change may read besides the result. */
export interface ApiResults {
  /** Forms of the resource's other actionables, latest first. */
  readonly others: readonly Forms[];
  /** Null where the actionable does not run before. */
  readonly action: (id: number) => Forms | null;
  /** Names extracted from results or generated for the request. */
  readonly names: ReadonlySet<string>;
  /** Names that responses omit unless `returnables` names them. */
  readonly secrets: ReadonlySet<string>;
  /** The actionable that produces the response, as written. */
  readonly main: Readonly<Record<string, Json>> | null;
}

/** How a step of the plugin changes the result. */
export interface ApiChange {
  readonly phase: number;
  /** Within the phase; default 0. */
  readonly order?: number;
  readonly change: (forms: Forms, results: ApiResults) => Forms;
}

/** A message to connected clients. */
export interface ApiEvent {
  readonly action: string;
  /** The target in one word: a plugin name. */
  readonly to: string;
  /** What is sent of the result of the actionable; by default all of it. */
  readonly data?: ApiChange['change'];
}

/** OpenAPI facts of one use of a plugin. */
export interface ApiPart {
  /** For types and accessors: the schema of valid values. */
  readonly value?: JsonSchema;
  readonly fields?: Readonly<Record<string, ApiField>>;
  readonly files?: Readonly<Record<string, ApiFile>>;
  /** The whole body, where it is not an object of fields. */
  readonly body?: JsonSchema;
  readonly headers?: Readonly<Record<string, ApiField & { readonly doc: string }>>;
  readonly security?: readonly ApiSecurity[];
  /** Slots with alternative security plugins: one of them is enough. */
  readonly either?: readonly string[];
  readonly changes?: readonly ApiChange[];
  /** The response of a resource without actionables. */
  readonly instead?: JsonSchema;
  /** Headers of a success and their descriptions. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Codes that this use can return; by default all of the plugin with a status. */
  readonly refuses?: readonly (string | ApiError)[];
  /** Codes of subsequent plugins that cannot occur here. */
  readonly never?: readonly string[];
  /** The request may end here without an error. */
  readonly ends?: true;
  /** Cannot be called over a persistent connection. */
  readonly requestOnly?: true;
  /** Cannot be called without a persistent connection. */
  readonly connectedOnly?: true;
  /** Changes nothing, so clients may repeat the request. True of a resource if true of all its plugins. */
  readonly repeatable?: boolean;
  readonly events?: readonly ApiEvent[];
  /** Sentences for the description of the operation. */
  readonly notes?: readonly string[];
}

/** The statement of an actionable that has exactly one. */
export interface ApiStatement {
  /** `SELECT`, `INSERT`, ...; empty when unknown. */
  readonly verb: string;
  /** An array schema; `minItems` and `maxItems` only where they are certain. */
  readonly rows: JsonSchema;
  /** Certainly changes nothing. */
  readonly reads: boolean;
}

export interface ApiPlace {
  readonly slot: string;
  /** The plugin's fields as written; an accessor has its text as `tail`. */
  readonly value: Readonly<Record<string, Json>>;
  readonly holder: Readonly<Record<string, Json>>;
  /** The complete definition or config. */
  readonly root: Readonly<Record<string, Json>>;
  readonly facts: (kind: string, name: string) => PluginFacts | undefined;
  /** Whether any definition uses the plugin (`feature:returnables`). */
  readonly used: (plugin: string) => boolean;
  /** The schema that another plugin declares for values written this way. */
  readonly getValueSchema: (kind: string, name: string, written: Readonly<Record<string, Json>>) => JsonSchema;
  /** The schema of a value of the definition, with accessors resolved. */
  readonly written: (json: Json) => JsonSchema;
  /** Null where the payload path is unknown. */
  readonly payload: (path: readonly string[]) => JsonSchema | null;
  readonly statement: () => ApiStatement | null;
  /** Whether the resource extracts or generates this payload name. */
  readonly isMade: (name: string) => boolean;
  /** The work is repeated for each item of a list. */
  readonly repeated: boolean;
}
