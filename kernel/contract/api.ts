/**
 * What a plugin says of itself where the interface is described to callers (OpenAPI): the values it takes, what it makes of a
 * result, whom it asks for what, how it refuses. Pure data and pure functions; nothing of it runs with a request.
 */
import type { Json, JsonObject } from './json.js';
import type { FactValue } from './plugin.js';

/** JSON Schema, draft 2020-12. */
export type JsonSchema = JsonObject;

/**
 * What a result may be: one of these. Each is a list, one object, null or a plain value by itself, never a choice, so that
 * steps can change them one by one. `{}` is anything.
 */
export type Forms = readonly JsonSchema[];

export interface ApiField {
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** Files that come with the request, by the name of their part. Where there are any, the body is a form. */
export interface ApiFile {
  readonly doc: string;
  /** Files at most; one by default. */
  readonly most?: number;
  /** Bytes of each at most. */
  readonly bytes?: number;
  /** Media types and wildcards (`image/*`). */
  readonly types?: readonly string[];
}

export interface ApiRefusal {
  readonly code: string;
  /** Where the definition's author wrote others than the catalogue has. */
  readonly status?: number;
  readonly message?: string;
  /** Headers of the refusal and what they say. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a caller has to show. Several of one resource are all needed, unless somebody says `either` of them. */
export interface ApiSecurity {
  /** A short name; plugins that judge callers by something else get another one by themselves. */
  readonly name: string;
  /** A Security Scheme Object of OpenAPI. */
  readonly scheme: JsonObject;
}

/** What a change may look at beside the result itself. */
export interface ApiResults {
  /** Of the other actionables of the resource, latest first. */
  readonly others: readonly Forms[];
  /** Of an actionable of this resource; null where it does not run before. */
  readonly action: (id: number) => Forms | null;
  /** Names that are taken out of results or made for the request. */
  readonly names: ReadonlySet<string>;
  /** Names that never leave unless they are asked for. */
  readonly secrets: ReadonlySet<string>;
  /** The actionable whose result the resource answers, as written. */
  readonly main: Readonly<Record<string, Json>> | null;
}

/** Mirrors a step: what the plugin makes of the result, in the phase in which it does so. */
export interface ApiChange {
  readonly phase: number;
  /** Order within the phase, default 0. */
  readonly order?: number;
  readonly change: (forms: Forms, results: ApiResults) => Forms;
}

/** A message to clients that stay connected. */
export interface ApiEvent {
  /** Its name, by which clients tell events apart. */
  readonly action: string;
  /** Whom it is meant for, in a word: a name of a plugin. */
  readonly to: string;
}

/** Everything may be left out. */
export interface ApiPart {
  /** Of a plugin that describes values (types, accessors): those that are right. */
  readonly value?: JsonSchema;
  /** Fields of the payload that are judged. */
  readonly fields?: Readonly<Record<string, ApiField>>;
  readonly files?: Readonly<Record<string, ApiFile>>;
  /** The whole body, where it is no object of fields. */
  readonly body?: JsonSchema;
  /** Request headers, by name. */
  readonly headers?: Readonly<Record<string, ApiField & { readonly doc: string }>>;
  readonly security?: readonly ApiSecurity[];
  /** Slots of this resource of whose plugins one is enough: a caller shows what any of them asks for. */
  readonly either?: readonly string[];
  readonly changes?: readonly ApiChange[];
  /** What is answered where nothing else answers: the resource has no actionables. */
  readonly instead?: JsonSchema;
  /** Headers of a success and what they say. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Codes that this place can answer; without it all codes of the plugin that have a status. */
  readonly refuses?: readonly (string | ApiRefusal)[];
  /** Codes of plugins behind this one that cannot occur here. */
  readonly never?: readonly string[];
  /** The request may end here without an error: what is behind gives nothing then. */
  readonly ends?: true;
  /** Takes what only a request has: it cannot be called over a connection that stays open. */
  readonly requestOnly?: true;
  readonly events?: readonly ApiEvent[];
  /** Sentences for the description of the operation. */
  readonly notes?: readonly string[];
}

/** What is known of the statement of an actionable, where it has exactly one. */
export interface ApiStatement {
  /** `SELECT`, `INSERT`, ...; empty where it cannot be told. */
  readonly verb: string;
  /** The rows as a list; `minItems` and `maxItems` as far as they are certain. */
  readonly rows: JsonSchema;
}

export interface ApiPlace {
  readonly slot: string;
  /** The plugin's own fields as written; of an accessor, `tail` is what follows the root. */
  readonly value: Readonly<Record<string, Json>>;
  readonly holder: Readonly<Record<string, Json>>;
  /** The definition (or the config) around it, whole. */
  readonly root: Readonly<Record<string, Json>>;
  readonly facts: (kind: string, name: string) => Readonly<Record<string, FactValue>> | undefined;
  /** Whether any definition uses a plugin (`feature:returnables`). */
  readonly used: (plugin: string) => boolean;
  /** What another plugin says of values that are written like this. */
  readonly valueOf: (kind: string, name: string, written: Readonly<Record<string, Json>>) => JsonSchema;
  /** What a value of the definition becomes; accessors in it are read. */
  readonly written: (json: Json) => JsonSchema;
  /** A field of the payload, or what is inside it; null when nothing is known of it. */
  readonly payload: (path: readonly string[]) => JsonSchema | null;
  readonly statement: () => ApiStatement | null;
  /** A name of the payload that the resource makes itself: out of a result, or generated. */
  readonly isMade: (name: string) => boolean;
  /** The work is repeated for each item of a list. */
  readonly repeated: boolean;
}
