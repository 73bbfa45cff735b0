/** Messages to and from the process that checks statements. Structured clones, because tables hold sets. */
import type { PluginId } from '../../contract/plugin.js';
import type { Problem } from '../../contract/problem.js';
import type { StatementAnswer, Trial } from '../../contract/statement-check.js';
import type { SourceFile } from '../analysis/analyse.js';
import type { Environment } from './environment.js';

/** An argument of the process, because the project may have another version of Lintel than the editor. */
export const SCRATCH_PROTOCOL = '2';
/** The second argument of a process with low priority. */
export const LONG_REQUEST = 'patient';

export interface ScratchRequest {
  readonly id: number;
  /** The built-in plugin that makes the scratch store. */
  readonly plugin: PluginId;
  /** Null: only opens the store. */
  readonly trial: Trial | null;
}

/** A project in an editor, to find what stops its start. */
export interface ProjectTexts {
  readonly folder: string;
  /** The absolute name of the config. */
  readonly configFile: string;
  /** Its text; null if there is none. */
  readonly source: string | null;
  readonly files: readonly SourceFile[];
  /** With `.env`; values are compiled into plans that never run. */
  readonly env: Environment;
}

export interface SettingsRequest {
  readonly id: number;
  readonly texts: ProjectTexts;
}

/** `error`: the store or the compiler failed; the process goes on. */
export type ScratchReply =
  | { readonly id: number; readonly problems: readonly Problem[] }
  | { readonly id: number; readonly answers: readonly StatementAnswer[] }
  | { readonly id: number; readonly error: string };
