/** What the front end knows of a set of definitions once it is read: the input of the compiler and of editors. */
import type { Json } from '../contract/json.js';
import type { StorePlace } from '../contract/model.js';
import type { PluginId, Timing } from '../contract/plugin.js';
import type { Problem } from '../contract/problem.js';
import type { Document } from '../source/document.js';
import type { LocatedNode } from '../source/tree.js';
import type { Asked } from './asked.js';
import type { Spot } from './report.js';
import type { Finds, PluginPlace } from './finds.js';
import type { Sources, SourceSort } from './sources.js';
import type { StatementNames } from './sql/names.js';

/** A definition as found in a file: sorted, not yet understood. */
export interface Definition {
  readonly sort: 'resource' | 'model';
  readonly doc: Document;
  readonly node: LocatedNode;
  /** Model name; the empty text for resources. */
  readonly name: string;
  readonly nameSpot: Spot;
  /** What a model says beside its fields: combinations of fields that no two rows may share. */
  readonly unique: LocatedNode | null;
  /** ... and the connection that its table lies on. */
  readonly connection: LocatedNode | null;
  /** ... and warnings that are meant to be so, with reasons. */
  readonly acknowledge: LocatedNode | null;
  readonly finds: Finds;
}

/** How a bare string in a list of parameters is meant; decided here, never by what a client sends. */
export interface ParameterDecision {
  readonly source: 'name' | 'literal';
  /** Where a name gets its value: another actionable's output first, then the payload. */
  readonly from: SourceSort | null;
  /** An object around the value says that it is one, whatever it looks like. */
  readonly verbatim?: true;
}

/** A field that a rule of the resource declares. */
export interface PayloadField {
  readonly name: string;
  readonly optional: boolean;
  /** What is declared inside it (of an array: inside each item). */
  readonly fields: ReadonlyMap<string, PayloadField>;
}

/** The list for whose items an actionable is repeated. */
export interface RepeatModel {
  readonly from: 'body' | 'payload' | 'extracted' | 'result';
  /** Path of the list in the payload, or its extracted name; null where the list has no name. */
  readonly name: string | null;
  /** The body of the request may be the list itself. */
  readonly body: boolean;
  /** The actionable whose result is the list. */
  readonly action: string | null;
  /** Names inside an item; null when nothing is said of them. */
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
  readonly places: readonly PluginPlace[];
  /** Keys of actionables that must have run before this one. */
  readonly depends: readonly string[];
  /** By JSON pointer in the file. */
  readonly parameters: ReadonlyMap<string, ParameterDecision>;
  readonly repeat: RepeatModel | null;
  /** Models whose tables the statements of this actionable touch. */
  readonly models: readonly string[];
  /** Where its queries run. */
  readonly stores: readonly StorePlace[];
  /** Names that its result has; null where they are not certain. */
  readonly answers: readonly string[] | null;
  /** Payload fields that never leave as they came: what is hashed or encrypted. */
  readonly secrets: readonly string[];
  /** Models whose fields these are. */
  readonly secretModels: readonly string[];
}

export interface ResourceModel {
  readonly id: string;
  readonly path: string;
  readonly definition: Definition;
  readonly value: Readonly<Record<string, Json>>;
  readonly actions: readonly ActionModel[];
  readonly places: readonly PluginPlace[];
  readonly payloadFields: ReadonlyMap<string, PayloadField>;
  /** Names that actionables produce (`for`). */
  readonly names: ReadonlySet<string>;
  /** Names whose values are made once per request. */
  readonly generated: ReadonlySet<string>;
  /** Where the value of a name comes from. */
  readonly sources: Sources;
  /** No error stands in it or in what it depends on. */
  readonly sound: boolean;
}

export interface DataModel {
  readonly name: string;
  /** The name that queries use; the exact model name when none does. */
  readonly table: string;
  /** Where it is kept. */
  readonly stores: readonly StorePlace[];
  readonly definition: Definition;
  readonly fields: readonly { readonly name: string; readonly value: Readonly<Record<string, Json>> }[];
  /** Timestamps that statements write or read although the model does not define them. */
  readonly added: readonly string[];
  /** Fields and combinations of fields that no two rows may share, whoever demands it. */
  readonly uniques: readonly (readonly string[])[];
  /** Fields that some definition hashes or encrypts before it writes them. */
  readonly secrets: ReadonlySet<string>;
  readonly sound: boolean;
}

export interface Analysis {
  /** Everything that was read, sound or not, in the order of the files. */
  readonly definitions: readonly Definition[];
  readonly resources: readonly ResourceModel[];
  readonly models: readonly DataModel[];
  readonly problems: readonly Problem[];
  /** How many more definitions acknowledge. */
  readonly acknowledged: number;
  readonly uses: ReadonlySet<PluginId>;
  readonly documents: ReadonlyMap<string, Document>;
  /** What names in SQL stand for, by the node of the statement; only of statements that could be read whole. */
  readonly names: ReadonlyMap<LocatedNode, StatementNames>;
  /** Statements in which no error is known, for a database to read. */
  readonly asked: readonly Asked[];
}
