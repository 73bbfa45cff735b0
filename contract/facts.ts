/**
 * Facts of plugins: constants of a spec that the front end and the kernel read instead of the names of plugins. A kind documents
 * the facts of its plugins, and the registry rejects those that have another type.
 */
import type { ColumnType } from './model.js';

export type FactValue = string | number | boolean | readonly string[];

export interface PluginFacts extends Readonly<Record<string, FactValue>> {
  readonly algorithm?: string;
  readonly aliases?: readonly string[];
  readonly applies?: 'when-present' | 'always';
  readonly bounded?: boolean;
  readonly changes?: boolean;
  readonly characters?: number;
  readonly column?: ColumnType;
  readonly conceals?: string;
  readonly embedded?: boolean;
  readonly enough?: string;
  readonly everybody?: boolean;
  readonly field?: string;
  readonly gives?: 'text' | 'timestamp';
  readonly guards?: boolean;
  readonly holds?: 'requests' | 'work' | 'object' | 'array';
  readonly identifies?: boolean;
  readonly immediate?: boolean;
  readonly instead?: readonly string[];
  readonly joins?: string;
  readonly jsType?: string;
  readonly keyBytes?: number;
  readonly keyVariable?: string;
  readonly length?: number;
  readonly lists?: boolean;
  readonly maxBytes?: number;
  readonly media_type?: string;
  readonly nonceBytes?: number;
  readonly offers?: readonly string[];
  readonly outputs?: readonly string[];
  readonly parts?: boolean;
  readonly pattern?: string;
  readonly reads?: 'payload' | 'claims' | 'headers' | 'nothing';
  readonly realm?: string;
  readonly reserved?: readonly string[];
  readonly returns?: string;
  readonly rooms?: string;
  readonly schemes?: readonly string[];
  readonly scratch?: boolean;
  readonly secret?: boolean;
  readonly section?: string;
  readonly shared?: boolean;
  readonly syntax?: string;
  readonly tail?: string;
  readonly touches?: string;
  readonly validates?: boolean;
  readonly writes?: boolean;
}
