/** Connections of the MySQL driver that a test plays: what the server answers to each text, and what the client does with them. */
import { EventEmitter } from 'node:events';

type QueryCallback = (error: unknown, result?: unknown, fields?: unknown) => void;
/** What the server does with a text: an error, a result with fields, or nothing, which leaves it without an answer. */
export type MysqlScript = (
  text: string,
) => { readonly error: unknown } | { readonly result: unknown; readonly fields?: unknown } | null;

export const createMysqlError = (errno: number): Error => Object.assign(new Error('refused'), { errno });

/** A connection of the driver whose server a test plays. */
export class ScriptedConnection extends EventEmitter {
  readonly sent: string[] = [];
  readonly stream = new EventEmitter();
  /** Callers of what the server left without an answer. */
  readonly held: QueryCallback[] = [];
  destroyed = 0;
  constructor(
    readonly threadId: number | undefined,
    private readonly play: MysqlScript,
  ) {
    super();
  }
  connect = (done: (error: unknown) => void): void => this.answerQuery('connect', done);
  execute = (text: string, _values: unknown, done: QueryCallback): void => this.answerQuery(text, done);
  query = (text: string, done: QueryCallback): void => this.answerQuery(text, done);
  destroy = (): void => void this.destroyed++;
  private answerQuery(text: string, done: QueryCallback): void {
    this.sent.push(text);
    const answer = this.play(text);
    if (answer === null) return void this.held.push(done);
    queueMicrotask(() => ('error' in answer ? done(answer.error) : done(null, answer.result, answer.fields)));
  }
}

export const SETTLED = { result: {}, fields: undefined };
/** A server of that version, which settles whatever else it is sent unless the test says otherwise. */
export const playVersion =
  (name: string, play: MysqlScript = () => SETTLED): MysqlScript =>
  (text) =>
    text === 'SELECT VERSION()' ? { result: [[name]] } : play(text);
/** A server that leaves one text without an answer. */
export const playSilence = (what: string): MysqlScript =>
  playVersion('8.4.0', (text) => (text === what ? null : SETTLED));
