/** The text of one result; without a receiver, the connection waits. */
import { JsonStream, type JsonSink, type JsonSource } from '../../../contract/json-stream.js';

export interface TextOrigin {
  /** May be called again while paused. */
  pause(): void;
  resume(): void;
  /** May be called after the end. */
  cancel(): void;
}

export class ResultText {
  readonly stream = new JsonStream((sink) => this.openSink(sink));
  private sink: JsonSink | null = null;
  private isFull = false;
  /** What arrived before the sink, as calls. */
  private early: ((sink: JsonSink) => void)[] = [];

  constructor(private readonly origin: TextOrigin) {}

  write(text: Uint8Array): void {
    this.callSink((sink) => {
      this.isFull = !sink.write(text);
      if (this.isFull) this.origin.pause();
    });
    if (this.sink === null) this.origin.pause();
  }

  finishText(): void {
    this.callSink((sink) => sink.end());
  }

  fail(error: unknown): void {
    this.callSink((sink) => sink.fail(error));
  }

  cancel(): void {
    this.origin.cancel();
  }

  private callSink(call: (sink: JsonSink) => void): void {
    if (this.sink === null) this.early.push(call);
    else call(this.sink);
  }

  private openSink(sink: JsonSink): JsonSource {
    this.sink = sink;
    for (const call of this.early) call(sink);
    this.early = [];
    // Last, because an origin may write while it is called.
    if (!this.isFull) this.origin.resume();
    return this.origin;
  }
}
