/** A resource and its actionables while they are linked. */
import type { Timing } from '../../contract/plugin.js';
import type { LocatedNode } from '../source/tree.js';
import type { Definition, ParameterDecision, PayloadField, RepeatModel, Sources } from './model.js';
import type { Registry } from './registry.js';
import type { SourceLocation } from './report.js';
import type { IndirectUses } from './stored-objects.js';
import type { TableNames } from './tables.js';

export interface LinkedResource {
  readonly id: string;
  readonly path: string;
  readonly definition: Definition;
  readonly actions: readonly LinkedAction[];
  readonly payloadFields: ReadonlyMap<string, PayloadField>;
  /** Names extracted from results. */
  readonly names: ReadonlySet<string>;
  /** Names with a value generated once per request. */
  readonly generated: ReadonlySet<string>;
  /** Claims of the required token. */
  readonly claims: ReadonlySet<string>;
  readonly sources: Sources;
}

export interface LinkedAction {
  readonly key: string;
  readonly id: number;
  readonly index: number;
  readonly node: LocatedNode;
  readonly spot: SourceLocation;
  readonly noOp: boolean;
  readonly main: boolean;
  readonly timing: Timing;
  readonly parallel: boolean;
  readonly models: readonly string[];
  readonly parameters: Map<string, ParameterDecision>;
  /** Set by `repeats.ts`. */
  repeat: RepeatModel | null;
  /** Names that are hashed or encrypted here; set by `secret-names.ts`. */
  secrets: readonly string[];
  /** The models that hold these secrets; set by `secret-names.ts`. */
  secretModels: readonly string[];
  /** Views and functions behind the statements; set by `secret-names.ts`. */
  behind: IndirectUses;
  /** `feeds`: names here take their values from the result of `to`. */
  readonly edges: {
    readonly to: string;
    readonly spot: SourceLocation;
    readonly pointer: string;
    readonly feeds: boolean;
  }[];
}

export interface LinkContext {
  readonly tables: TableNames;
  readonly registry: Registry;
  /** Of all resources of the set, by id. */
  readonly paths: ReadonlyMap<string, string>;
}
