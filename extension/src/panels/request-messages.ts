/** Messages between the request page (`media/request.js`) and the extension. */
import type { ShownAnswer } from './response.js';
import type { RequestShape } from './server-requests.js';
import type { KnownToken } from './token-store.js';

export type ToPage =
  | { readonly type: 'show'; readonly shape: RequestShape; readonly base: string; readonly keep: boolean }
  | { readonly type: 'tokens'; readonly tokens: readonly KnownToken[]; readonly chosen: string | null }
  | { readonly type: 'sending' }
  | { readonly type: 'answer'; readonly answer: ShownAnswer; readonly remembered: number }
  | { readonly type: 'failed'; readonly reason: string; readonly canRun: boolean };

export interface RequestInput {
  readonly base: string;
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: readonly (readonly [string, string])[];
  readonly payload: string;
  /** Key of a stored token, or null. */
  readonly token: string | null;
  readonly files: readonly {
    readonly part: string;
    readonly name: string;
    readonly type: string;
    readonly bytes: ArrayBuffer;
  }[];
}

export type FromPage =
  | { readonly type: 'ready' }
  | { readonly type: 'send'; readonly filled: RequestInput }
  | { readonly type: 'cancel' }
  | { readonly type: 'pick' }
  | { readonly type: 'run' }
  | { readonly type: 'reveal' }
  | { readonly type: 'base'; readonly base: string }
  | { readonly type: 'forget'; readonly base: string; readonly token: string }
  | { readonly type: 'open' }
  | { readonly type: 'save' };
