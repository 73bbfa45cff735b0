/** `lintel test` with WebSocket clients: connections, requests as messages, messages that clients receive, rejected handshakes. */
import { expect } from 'chai';
import { runCli, type Finished } from '../support/cli.js';
import { createTempProject, type Files } from '../support/project.js';

const KEY = { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.JWT_SECRET_KEY' };
const GUARD = { tokenize: KEY, protected: { extract_claims: ['id'] } };
const say = (id: string, to: object, more: object = {}): object => ({
  id,
  resource: id,
  actionables: [
    {
      id: 1,
      mode: 'RETURN',
      payload_validation: [{ field: { text: { type: 'STRING' } } }],
      value: { text: '$PAYLOAD.text' },
      broadcast_websocket_message: { action: 'said', ...to },
    },
  ],
  ...more,
});
const FILES: Files = {
  '.env.example': 'JWT_SECRET_KEY=generate:40\n',
  'lintel.config.json': { websocket: { enabled: true } },
  'definitions/all.resource.json': [
    say('say-all', { broadcast_type: 'ALL' }, GUARD),
    say('say-room', { broadcast_type: 'ROOM', broadcast_to_room: 'game $PAYLOAD.game' }),
    say('say-one', { broadcast_type: 'SINGLE', broadcast_to: '$PAYLOAD.to' }, GUARD),
    {
      id: 'watch',
      resource: 'watch',
      actionables: [{ id: 1, mode: 'RETURN', value: { watched: true }, join_room: 'game $PAYLOAD.game' }],
    },
  ],
};
const connect = (client: string, more: object = {}): object => ({ connect: { client, ...more } });
const request = (resource: string, body: object, more: object = { as: { id: 'anna' } }): object => ({
  request: { resource, body, ...more },
});

interface Report {
  readonly cases: readonly {
    readonly id: string;
    readonly failures: readonly {
      readonly message: string;
      readonly range: { readonly start: { readonly line: number } };
    }[];
  }[];
}

describe('lintel test: WebSocket clients', () => {
  async function run(cases: readonly object[], ...words: string[]): Promise<Finished> {
    const project = await createTempProject({ ...FILES, 'definitions/a.test.json': { id: 'messages', cases } });
    try {
      return await runCli(['test', ...words], { cwd: project.folder });
    } finally {
      await project.dispose();
    }
  }

  it('connects clients, sends requests as messages, and receives what they are sent', async () => {
    const { code, stdout } = await run([
      {
        id: 'all clients, those of a room, one by its claim',
        steps: [
          connect('screen', { uid: 'screen-1' }),
          connect('anna', { uid: 'anna', resource: 'say-all', as: { id: 'anna' } }),
          {
            ...request('watch', { game: 5 }, { client: 'screen' }),
            expect: { status: 200, body: { watched: true } },
            save: { watched: 'watched' },
          },
          request('say-room', { game: 5, text: 'to the room' }),
          { receive: 'screen', expect: { body: { action: 'said', data: { text: 'to the room' } } } },
          request('say-all', { text: 'to all' }),
          { receive: 'screen', expect: { body: { data: { text: 'to all' } } }, save: { text: 'data.text' } },
          { receive: 'anna', expect: { body: { data: { text: '$SAVED.text' } } } },
          request('say-one', { to: 'anna', text: 'to one' }),
          { receive: 'anna', expect: { body: { uid: 'anna', data: { text: 'to one' } } } },
          { disconnect: 'screen' },
          connect('screen', { uid: 'screen-2' }),
        ],
        expect: { messages: [{ to: { rooms: [{ $contains: '5' }] } }, { action: 'said' }, { action: 'said' }] },
      },
      {
        id: 'rejections',
        steps: [
          connect('visitor', { uid: 'v', as: false }),
          {
            ...request('say-all', { text: 'x' }, { client: 'visitor' }),
            expect: { problem: { code: 'TOK_REFUSED' } },
          },
          {
            ...request('say-room', { game: 5 }, { client: 'visitor' }),
            expect: { status: 422, problem: { code: 'VAL_PAYLOAD', pointer: '/text' } },
          },
        ],
      },
    ]);
    expect(code, stdout).to.equal(0);
    expect(stdout).to.contain('2 passed');
  });

  it('names what a client did not receive, and what the handshake was answered with', async () => {
    const { stdout } = await run(
      [
        {
          id: 'other text',
          steps: [
            connect('a'),
            request('say-all', { text: 'x' }),
            { receive: 'a', expect: { body: { data: { text: 'y' } } } },
          ],
        },
        { id: 'closed', steps: [connect('a'), { disconnect: 'a' }, { ...request('watch', {}, { client: 'a' }) }] },
        { id: 'method', steps: [connect('a'), { ...request('watch', {}, { client: 'a', method: 'GET' }) }] },
        { id: 'status', steps: [{ ...connect('a'), expect: { status: 401 } }] },
      ],
      '--reporter',
      'json',
    );
    const { cases } = JSON.parse(stdout) as Report;
    expect(cases.map(({ id, failures }) => [id, failures[0]?.message])).to.deep.equal([
      ['other text', 'expected "y", received "x"'],
      ['closed', 'no client "a" is connected'],
      ['method', '"method" has no effect: a message of a WebSocket client has none'],
      ['status', '/status status: expected 401, received 101'],
    ]);
  });
});
