/** Connections of the MySQL driver that a test plays: what the server answers to each text, and what the client does with them. */
import { EventEmitter } from 'node:events';

type Done = (error: unknown, result?: unknown, fields?: unknown) => void;
/** What the server does with a text: an error, a result with fields, or nothing, which leaves it without an answer. */
export type Play = (
  text: string,
) => { readonly error: unknown } | { readonly result: unknown; readonly fields?: unknown } | null;

export const failure = (errno: number): Error => Object.assign(new Error('refused'), { errno });

/** A connection of the driver whose server a test plays. */
export class PlayedConnection extends EventEmitter {
  readonly sent: string[] = [];
  readonly stream = new EventEmitter();
  /** Callers of what the server left without an answer. */
  readonly held: Done[] = [];
  destroyed = 0;
  constructor(
    readonly threadId: number | undefined,
    private readonly play: Play,
  ) {
    super();
  }
  connect = (done: (error: unknown) => void): void => this.answer('connect', done);
  execute = (text: string, _values: unknown, done: Done): void => this.answer(text, done);
  query = (text: string, done: Done): void => this.answer(text, done);
  destroy = (): void => void this.destroyed++;
  private answer(text: string, done: Done): void {
    this.sent.push(text);
    const answer = this.play(text);
    if (answer === null) return void this.held.push(done);
    queueMicrotask(() => ('error' in answer ? done(answer.error) : done(null, answer.result, answer.fields)));
  }
}

export const SETTLED = { result: {}, fields: undefined };
/** A server of that version, which settles whatever else it is sent unless the test says otherwise. */
export const version =
  (name: string, play: Play = () => SETTLED): Play =>
  (text) =>
    text === 'SELECT VERSION()' ? { result: [[name]] } : play(text);
/** A server that leaves one text without an answer. */
export const silentAt = (what: string): Play => version('8.4.0', (text) => (text === what ? null : SETTLED));
