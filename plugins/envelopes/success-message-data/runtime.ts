/** Wraps the body of every successful response, after all other hooks. */
import { JsonStream } from '../../../contract/json-stream.js';
import { RawJson } from '../../../contract/raw-json.js';
import { Stage } from '../../../contract/slot.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { envelope } from '../kind.js';

export default defineRuntime(envelope, {
  register(hooks, { options }) {
    const message = typeof options['message'] === 'string' ? options['message'] : 'Operation successful';
    const before = Buffer.from(`{"success":true,"message":${JSON.stringify(message)},"data":`);
    const wrap = (body: unknown): unknown => {
      if (body instanceof RawJson) return wrapText(before, body);
      if (body instanceof JsonStream) return wrapStream(before, body);
      return { success: true, message, data: body };
    };
    hooks.tap(
      'reply',
      (reply, { connection }) => (connection === null ? { ...reply, body: wrap(reply.body) } : reply),
      { stage: Stage.LAST, takesText: true },
    );
  },
});

const AFTER = Buffer.from('}');

const wrapText = (before: Buffer, { json }: RawJson): RawJson =>
  new RawJson(
    Buffer.concat([before, json, AFTER]),
    (text) => JSON.parse(Buffer.from(text).toString('utf8')) as unknown,
  );

const wrapStream = (before: Buffer, stream: JsonStream): JsonStream =>
  new JsonStream((sink) => {
    let start: Buffer | null = before;
    return stream.open({
      write(text) {
        const piece = start === null ? text : Buffer.concat([start, text]);
        start = null;
        return sink.write(piece);
      },
      end: () => {
        sink.write(AFTER);
        sink.end();
      },
      fail: (error) => sink.fail(error),
    });
  });
