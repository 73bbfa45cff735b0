/** What the language server and the process with its scratch stores send each other. Structured clones, because tables hold sets. */
import type { PluginId } from '../../contract/plugin.js';
import type { StatementAnswer, Trial } from '../../contract/statement-check.js';

/** Given to the process as its argument, because the project may have another version of Lintel than the editor. */
export const SCRATCH_PROTOCOL = '1';
/** The second argument of a process with low priority. */
export const PATIENT = 'patient';

export interface ScratchRequest {
  readonly id: number;
  /** The built-in plugin that makes the scratch store. */
  readonly plugin: PluginId;
  /** Null: only opens the store. */
  readonly trial: Trial | null;
}

/** `error`: the store could not answer; the process goes on. */
export type ScratchReply =
  | { readonly id: number; readonly answers: readonly StatementAnswer[] }
  | { readonly id: number; readonly error: string };
