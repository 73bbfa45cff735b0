/** Scripted connections of the MySQL driver: the response of the server to each text, and the calls of the client. */
import { EventEmitter } from 'node:events';

type QueryCallback = (error: unknown, result?: unknown, fields?: unknown) => void;
/**
 * The response of the server to a text: an error, a result with fields, or nothing, which leaves it without a response.
 */
export type MysqlScript = (
  text: string,
) => { readonly error: unknown } | { readonly result: unknown; readonly fields?: unknown } | null;

export const createMysqlError = (errno: number): Error => Object.assign(new Error('refused'), { errno });

/** A connection of the driver with a scripted server. */
export class ScriptedConnection extends EventEmitter {
  readonly sent: string[] = [];
  readonly stream = new EventEmitter();
  /** Callbacks of texts without a response. */
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
/** A server of that version, which completes any other text unless the test overrides it. */
export const playVersion =
  (name: string, play: MysqlScript = () => SETTLED): MysqlScript =>
  (text) =>
    text === 'SELECT VERSION()' ? { result: [[name]] } : play(text);
/** A server that never responds to one text. */
export const playSilence = (what: string): MysqlScript =>
  playVersion('8.4.0', (text) => (text === what ? null : SETTLED));
