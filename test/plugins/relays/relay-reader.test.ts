/**
 * Reading the stream of a relay on Redis: the start position, which messages are old, and the effects of a lost
 * connection or a new stream.
 */
import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import {
  createReader,
  type ReaderOptions,
  type StreamEntry,
  type StreamPosition,
} from '../../../plugins/relays/redis/reader.js';
import { replaceTime, type ManualTime } from '../../support/manual-time.js';

type Standing = readonly [epoch: string, number: string, place: string, seconds: string];
type Reply = readonly (readonly [id: string, epoch: string, number: number])[] | Error | null;

class ScriptedClient extends EventEmitter {
  status = 'ready';
  readonly reads: unknown[][] = [];
  readonly given: (boolean | undefined)[] = [];
  standing: Standing | Error = ['e', '5', '50-1', '100'];
  private answer: ((reply: Reply) => void) | null = null;
  connect = (): Promise<void> => Promise.reject(new Error('is looked for'));
  disconnect = (again?: boolean): void => void this.given.push(again);
  lintelStand = (): Promise<Standing> =>
    this.standing instanceof Error ? Promise.reject(this.standing) : Promise.resolve(this.standing);
  async xread(...given: unknown[]): Promise<unknown> {
    this.reads.push(given);
    const reply = await new Promise<Reply>((resolve) => (this.answer = resolve));
    if (reply instanceof Error) throw reply;
    const fields = (epoch: string, number: number) => ['e', epoch, 'n', String(number), 'f', 'me:1', 'm', 'text'];
    return reply && [['s', reply.map(([id, epoch, number]) => [id, fields(epoch, number)])]];
  }
  reply = (reply: Reply): void => this.answer?.(reply);
}

describe('relay reader', () => {
  let time: ManualTime;
  let client: ScriptedClient;
  let stands: StreamPosition[] = [];
  let taken: StreamEntry[] = [];
  let failures: unknown[] = [];
  let clock = 1_000_000;
  const { now: realNow } = Date as { now: (this: typeof Date) => number };
  beforeEach(() => {
    time = replaceTime();
    clock = 1_000_000;
    Date.now = () => clock;
    client = new ScriptedClient();
    [stands, taken, failures] = [[], [], []];
  });
  afterEach(() => {
    time.restoreGlobals();
    Date.now = realNow;
  });

  function create(keep: number | null) {
    return createReader({
      ...{ client: client as unknown as ReaderOptions['client'], stream: 's', counter: 'c', epoch: () => 'new', keep },
      onPosition: (stand) => void stands.push(stand),
      onEntry: (entry) => void taken.push(entry),
      onError: (error) => void failures.push(error),
    });
  }
  async function open(keep: number | null) {
    const reader = create(keep);
    const opening = reader.open();
    await time.advance(0);
    return { reader, opening };
  }
  const places = (): unknown[] => client.reads.map((given) => given.at(-1));
  const read = async (reply: Reply): Promise<void> => {
    client.reply(reply);
    await time.advance(0);
  };
  const old = (): unknown[] => taken.map(({ number, isOld }) => [number, isOld]);

  it('begins at the latest message if none are stored, and continues after each message it has read', async () => {
    const { reader, opening } = await open(null);
    await opening;
    expect(stands).to.deep.equal([{ epoch: 'e', number: 5, isStart: true }]);
    expect(client.reads).to.deep.equal([['COUNT', 50, 'BLOCK', 2000, 'STREAMS', 's', '50-1']]);
    await read([
      ['60-0', 'e', 6],
      ['61-3', 'e', 7],
    ]);
    await read(null);
    expect(places()).to.deep.equal(['50-1', '61-3', '61-3']);
    expect(taken).to.deep.equal([
      { epoch: 'e', number: 6, from: 'me:1', text: 'text', at: 60, isOld: false },
      { epoch: 'e', number: 7, from: 'me:1', text: 'text', at: 61, isOld: false },
    ]);
    reader.close();
    await read(null);
    expect([client.reads.length, client.given, failures]).to.deep.equal([3, [undefined], []]);
  });

  it('reads stored messages as old, up to the position of the stream, by the time of the server', async () => {
    const { reader } = await open(30_000);
    expect([stands[0]?.isStart, places()]).to.deep.equal([false, ['70000-0']]);
    await read([
      ['1-0', 'e', 4],
      ['2-0', 'e', 5],
      ['3-0', 'e', 6],
      ['4-0', 'other', 1],
    ]);
    expect(old()).to.deep.equal([
      [4, true],
      [5, true],
      [6, false],
      [1, false],
    ]);
    reader.close();
  });

  for (const [late, place, isStart, first] of [
    [800, '50-1', true, false],
    [801, '1000000-0', false, true],
  ] as const)
    it(`reads a server that becomes available ${late} ms after the start from ${place}`, async () => {
      client.status = 'connecting';
      const { reader } = await open(null);
      expect(stands).to.deep.equal([]);
      clock += late;
      client.status = 'ready';
      client.emit('ready');
      await time.advance(0);
      expect([stands[0]?.isStart, places()]).to.deep.equal([isStart, [place]]);
      await read([
        ['999999-0', 'e', 6],
        ['1000000-0', 'e', 3],
      ]);
      // Late: messages sent before the start are old, whatever their number.
      expect(old()).to.deep.equal([
        [6, first],
        [3, !first],
      ]);
      reader.close();
    });

  it('continues at its position after a lost connection, and from the beginning of a new stream', async () => {
    const { reader } = await open(null);
    await read([['60-0', 'e', 6]]);
    const gone = new Error('gone');
    await read(gone);
    expect([failures, client.given]).to.deep.equal([[gone], [true]]);
    await time.advance(9);
    expect(stands).to.have.length(1);
    client.standing = ['e', '9', '90-0', '100'];
    await time.advance(1);
    expect([stands[1], places()]).to.deep.equal([{ epoch: 'e', number: 9, isStart: false }, ['50-1', '60-0', '60-0']]);
    await read([['61-0', 'e', 7]]);
    expect(old().at(-1), 'what was missed is news').to.deep.equal([7, false]);
    await read(gone);
    client.standing = ['f', '2', '5-0', '100'];
    await time.advance(10);
    expect([stands[2], places().at(-1)]).to.deep.equal([{ epoch: 'f', number: 2, isStart: false }, '0-0']);
    await read([['1-0', 'f', 1]]);
    expect(old().at(-1)).to.deep.equal([1, false]);
    reader.close();
  });

  it('doubles its pause each time nothing could be read, up to two seconds', async () => {
    client.standing = new Error('away');
    const { reader } = await open(null);
    const at: number[] = [];
    for (let seen = 0; at.length < 10;) {
      if (failures.length > seen) at.push(time.now());
      seen = failures.length;
      await time.advance(1);
    }
    expect(at.map((moment, n) => moment - (at[n - 1] ?? 0))).to.deep.equal([
      ...[0, 10, 20, 40, 80, 160, 320, 640, 1280, 2000],
    ]);
    reader.close();
    const { length } = failures;
    await time.advance(5000);
    expect(failures).to.have.length(length);
  });

  it('closes no connection that is not ready, and waits for the next one', async () => {
    const { reader } = await open(null);
    client.status = 'reconnecting';
    await read(new Error('gone'));
    expect(client.given).to.deep.equal([]);
    await time.advance(100);
    expect(stands).to.have.length(1);
    client.status = 'ready';
    client.emit('ready');
    await time.advance(0);
    expect(stands).to.have.length(2);
    client.emit('error', 'x');
    expect(failures.at(-1)).to.equal('x');
    reader.close();
  });

  it('opens after a while without a server, and closes without one', async () => {
    client.status = 'connecting';
    const { reader, opening } = await open(null);
    let opened = false;
    void opening.then(() => (opened = true));
    await time.advance(799);
    expect(opened).to.equal(false);
    await time.advance(1);
    expect(opened).to.equal(true);
    reader.close();
    await time.advance(0);
    expect([stands, failures, client.given]).to.deep.equal([[], [], [undefined]]);
  });
});
