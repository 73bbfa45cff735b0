/** Passes the text of one result to its receiver. Before there is one, the connection waits. */
import { JsonStream, type JsonSink, type JsonSource } from '../../../contract/json-stream.js';

export interface TextOrigin {
  /** May be called again while paused. */
  pause(): void;
  resume(): void;
  /** May be called after the end. */
  abandon(): void;
}

export class ResultText {
  readonly stream = new JsonStream((sink) => this.openSink(sink));
  private sink: JsonSink | null = null;
  /** What arrived before the sink, as calls. */
  private early: ((sink: JsonSink) => void)[] = [];

  constructor(private readonly origin: TextOrigin) {}

  write(text: Uint8Array): void {
    this.pass((sink) => {
      if (!sink.write(text)) this.origin.pause();
    });
    if (this.sink === null) this.origin.pause();
  }

  end(): void {
    this.pass((sink) => sink.end());
  }

  fail(error: unknown): void {
    this.pass((sink) => sink.fail(error));
  }

  abandon(): void {
    this.origin.abandon();
  }

  private pass(call: (sink: JsonSink) => void): void {
    if (this.sink === null) this.early.push(call);
    else call(this.sink);
  }

  private openSink(sink: JsonSink): JsonSource {
    this.sink = sink;
    this.origin.resume();
    for (const call of this.early) call(sink);
    this.early = [];
    return this.origin;
  }
}
