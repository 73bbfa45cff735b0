/** Definitions, models and resources as they were read. */
import type { Json } from '../../contract/json.js';
import type { StorePlace } from '../../contract/model.js';
import type { PluginId, Timing } from '../../contract/plugin.js';
import type { Document } from '../source/document.js';
import type { LocatedNode } from '../source/tree.js';
import type { StatementQuestion, QueryQuestion } from '../../contract/statement-check.js';
import type { SourceLocation } from './report.js';
import type { WalkResult, PluginUsage, SqlText, DocumentQuery } from './facts.js';
import type { IndirectUses } from './stored-objects.js';

/** A classified definition, before it is linked. */
export interface Definition {
  readonly sort: 'resource' | 'model' | 'test';
  readonly doc: Document;
  readonly node: LocatedNode;
  /** The model name; empty for resources. */
  readonly name: string;
  readonly nameSpot: SourceLocation;
  /** Of models: the combinations of fields that must be unique. */
  readonly unique: LocatedNode | null;
  /** Of models: the connection of the table. */
  readonly connection: LocatedNode | null;
  /** Of models: the table, where it is not the name that statements use first. */
  readonly table: LocatedNode | null;
  /** Of models: the acknowledged warnings. */
  readonly acknowledge: LocatedNode | null;
  readonly finds: WalkResult;
}

/** By precedence. `output`: of the single item in an earlier list. */
export const SOURCE_SORTS = ['extracted', 'generated', 'output', 'payload', 'claim'] as const;
export type SourceSort = (typeof SOURCE_SORTS)[number];

/** The first reason that applies. */
export type PayloadReason =
  | 'rule'
  | 'path'
  /** A definition field for payload fields names it (hash, encrypt, verify). */
  | 'property'
  /** It is a field of the repeated items. */
  | 'item'
  /** It is bound to the column of that name. */
  | 'column'
  /** The resource declares no rules. */
  | 'unruled'
  /** A payload accessor reads it. */
  | 'accessor';

export interface Source {
  readonly sort: SourceSort;
  /** The first segment of the path. */
  readonly name: string;
  /** Keys of the actionables that produce it. */
  readonly makers: readonly string[];
  /** Null unless `sort` is `payload`. */
  readonly why: PayloadReason | null;
}

/** `action`: the actionable that contains the name, or null. */
export interface Sources {
  /** All certain sources, in order of precedence. */
  listSources(name: string, action: string | null): readonly Source[];
  /** `columns`: the columns that a bare word is bound to. */
  resolveBare(text: string, action: string | null, columns: readonly string[]): Source | null;
  /** Resolves the name in a payload accessor. */
  read(name: string, action: string | null): Source;
  listNames(action: string | null): readonly Source[];
}

/** How a bare string in a parameter list is resolved. */
export interface ParameterDecision {
  readonly source: 'name' | 'literal';
  /** The source of a name's value. */
  readonly from: SourceSort | null;
  /** Wrapped in a literal object, so it is never a name. */
  readonly verbatim?: true;
}

export interface PayloadField {
  readonly name: string;
  readonly optional: boolean;
  /** The fields inside it, or inside each item of an array. */
  readonly fields: ReadonlyMap<string, PayloadField>;
}

export interface RepeatModel {
  readonly from: 'body' | 'payload' | 'extracted' | 'result';
  /** The payload path or extracted name; null without a name. */
  readonly name: string | null;
  /** The request body may itself be the list. */
  readonly body: boolean;
  /** The key of the actionable that returns the list. */
  readonly action: string | null;
  /** The fields of an item; null if undeclared. */
  readonly fields: readonly string[] | null;
}

export interface ActionModel {
  readonly key: string;
  readonly resource: string;
  readonly id: number;
  readonly mode: string;
  readonly noOp: boolean;
  readonly main: boolean;
  readonly timing: Timing;
  readonly parallel: boolean;
  readonly definition: Definition;
  readonly node: LocatedNode;
  readonly value: Readonly<Record<string, Json>>;
  readonly places: readonly PluginUsage[];
  /** Keys of the actionables that must run before this one. */
  readonly depends: readonly string[];
  /** By JSON pointer in the file. */
  readonly parameters: ReadonlyMap<string, ParameterDecision>;
  readonly repeat: RepeatModel | null;
  /** The models that the queries use. */
  readonly models: readonly string[];
  readonly stores: readonly StorePlace[];
  /** The field names of the result; null if unknown. */
  readonly answers: readonly string[] | null;
  /** Payload fields that are hashed or encrypted. */
  readonly secrets: readonly string[];
  readonly secretModels: readonly string[];
  readonly behind: IndirectUses;
}

export interface ResourceModel {
  readonly id: string;
  readonly path: string;
  readonly definition: Definition;
  readonly value: Readonly<Record<string, Json>>;
  readonly actions: readonly ActionModel[];
  readonly places: readonly PluginUsage[];
  readonly payloadFields: ReadonlyMap<string, PayloadField>;
  /** Names that actionables extract from results (`for`). */
  readonly names: ReadonlySet<string>;
  /** Names with a value generated once per request. */
  readonly generated: ReadonlySet<string>;
  readonly sources: Sources;
  /** False if the resource, a model of it, or a dependency has an error. */
  readonly sound: boolean;
}

export interface DataModel {
  readonly name: string;
  /** The name that queries use, else the model name. */
  readonly table: string;
  readonly stores: readonly StorePlace[];
  readonly definition: Definition;
  readonly fields: readonly { readonly name: string; readonly value: Readonly<Record<string, Json>> }[];
  /** Timestamp columns that statements use and the model does not define. */
  readonly added: readonly string[];
  /** Fields and combinations that must be unique, from all sources. */
  readonly uniques: readonly (readonly string[])[];
  /** Fields that any definition hashes or encrypts before writing. */
  readonly secrets: ReadonlySet<string>;
  readonly sound: boolean;
}

export interface CheckableStatement extends StatementQuestion {
  readonly statement: SqlText;
  readonly place: StorePlace;
  /** Null when unknown. */
  readonly syntax: string | null;
  readonly models: readonly string[];
}

/** A document query, with the plugin that knows its language. */
export interface CheckableQuery extends QueryQuestion {
  readonly query: DocumentQuery;
  readonly plugin: PluginId;
  readonly place: StorePlace;
}

/** Optional if any field on the path is. Indexes are skipped. */
export function findDeclaredField(
  fields: ResourceModel['payloadFields'],
  name: string,
  inside: readonly string[],
): { readonly optional: boolean } | null {
  const root = fields.get(name);
  if (root === undefined) return null;
  let { optional, fields: within } = root;
  for (const segment of inside) {
    const next = within.get(segment);
    if (next === undefined) {
      if (/^\d+$/.test(segment)) continue;
      break;
    }
    optional ||= next.optional;
    within = next.fields;
  }
  return { optional };
}
