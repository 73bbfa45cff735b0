/** Messages between the process that runs the tests' workers and the workers: files one way, results the other. */
import type { ServerOrSkip } from '../support/guarded-server.js';

export type ServerName = 'postgres' | 'redis' | 'mongo' | 'mariadb' | 'mysql' | 's3' | 'vsix';
/** What a worker needs of a server: its address, and the keys of an object store. Of the .vsix, the files. */
export type ServerAddress = Readonly<Record<string, string>>;

/** `timeout` in milliseconds for each test; 0 for none, in a debugger. */
export interface RunFile {
  readonly type: 'run';
  readonly file: string;
  readonly grep: string | null;
  readonly timeout: number | null;
}
export interface ServerReply {
  readonly type: 'server';
  readonly name: ServerName;
  readonly found: ServerOrSkip<ServerAddress> | { readonly error: string };
}
export type ToWorker = RunFile | ServerReply | { readonly type: 'end' };

export interface Failure {
  readonly title: string;
  /** Message, difference and stack with places in the sources. */
  readonly text: string;
}

/** Seconds of processor time count the worker and its children that have ended. */
export interface FileResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  readonly cpu: number;
  readonly megabytes: number;
}

/** Several in one message, in their order. */
export type FromWorker = readonly WorkerEvent[];

export type WorkerEvent =
  | {
      readonly type: 'test';
      readonly state: 'passed' | 'failed' | 'skipped';
      readonly title: string;
      readonly ms: number;
    }
  | { readonly type: 'begin'; readonly title: string }
  | { readonly type: 'failure'; readonly failure: Failure }
  | { readonly type: 'skip'; readonly reason: string }
  | { readonly type: 'done'; readonly result: FileResult }
  | { readonly type: 'server'; readonly name: ServerName };
