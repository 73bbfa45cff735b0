/** The result of an analysis: the input of the compiler and of editors. Types only. */
import type { Json } from '../../contract/json.js';
import type { StorePlace } from '../../contract/model.js';
import type { PluginId, Timing } from '../../contract/plugin.js';
import type { Problem } from '../../contract/problem.js';
import type { Document } from '../source/document.js';
import type { LocatedNode } from '../source/tree.js';
import type { CheckableQuery, CheckableStatement } from './checkable-statements.js';
import type { LinkedGroup } from './link-group.js';
import type { SourceLocation } from './report.js';
import type { WalkResult, PluginUsage } from './facts.js';
import type { SqlBehind } from './sql-objects.js';
import type { Sources, SourceSort } from './sources.js';
import type { StatementNames } from './sql/names.js';

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
  /** Of models: the acknowledged warnings. */
  readonly acknowledge: LocatedNode | null;
  readonly finds: WalkResult;
}

/** How a bare string in a parameter list is resolved, at load time. */
export interface ParameterDecision {
  readonly source: 'name' | 'literal';
  /** The source of a name's value. */
  readonly from: SourceSort | null;
  /** The string is wrapped in a literal object, so it is never a name. */
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
  /** The path in the payload, or the extracted name; null if the list has no name. */
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
  /** Payload fields that are hashed or encrypted, so they must not be returned. */
  readonly secrets: readonly string[];
  /** The models that hold the secrets. */
  readonly secretModels: readonly string[];
  readonly behind: SqlBehind;
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
  /** False if the resource, a model it uses, or a resource it depends on has an error. */
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

export interface Analysis {
  /** Valid and invalid definitions, in the order of the files. */
  readonly definitions: readonly Definition[];
  /** Of the test files; not part of `definitions`. */
  readonly tests: readonly Definition[];
  readonly resources: readonly ResourceModel[];
  readonly models: readonly DataModel[];
  readonly problems: readonly Problem[];
  /** The number of silenced problems. */
  readonly acknowledged: number;
  readonly uses: ReadonlySet<PluginId>;
  readonly documents: ReadonlyMap<string, Document>;
  /** By the node of the statement; only for statements that parse completely. */
  readonly names: ReadonlyMap<LocatedNode, StatementNames>;
  /** The statements without known errors, for a database to check. */
  readonly checkableStatements: readonly CheckableStatement[];
  /** The same for document queries. */
  readonly checkableQueries: readonly CheckableQuery[];
  /** The linked resources, for what follows values. */
  readonly groups: readonly LinkedGroup[];
}

/** A nested field is optional if any field on its path is. Array indexes are skipped. */
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
