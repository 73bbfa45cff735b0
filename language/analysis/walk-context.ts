/** What the walk carries: collectors for the whole file, and the surroundings of a node. */
import type { Document } from '../source/document.js';
import type { LocatedNode } from '../source/tree.js';
import type { WalkResult } from './facts.js';
import type { Registry } from './registry.js';
import type { Report } from './report.js';
import type { OuterLevel } from './unknown-keys.js';

export interface WalkContext {
  readonly doc: Document;
  readonly registry: Registry;
  readonly report: Report;
  readonly finds: WalkResult;
  /** The texts have no errors: values are not compared with their fields again. */
  readonly isVerified?: boolean;
}

export interface NodeContext {
  readonly label: string;
  /** The object that contains this node, directly or in a list. */
  readonly around: LocatedNode | null;
  /** The objects around this node, innermost first. */
  readonly outer: readonly OuterLevel[];
}
