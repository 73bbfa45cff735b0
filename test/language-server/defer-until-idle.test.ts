/** Work in turns: a request that arrives is answered first. */
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { createProtocolConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver/node';
import { deferUntilIdle } from '../../language-server/defer-until-idle.js';

describe('work that waits until the server is idle', () => {
  it('runs after the answer to a request that arrives next is written', async () => {
    const [requests, answers] = [new PassThrough(), new PassThrough()];
    const order: string[] = [];
    const server = createProtocolConnection(new StreamMessageReader(requests), new StreamMessageWriter(answers));
    server.onRequest('hover', () => order.push('handled'));
    server.listen();
    answers.on('data', () => order.push('written'));
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hover' });
    const idle = new Promise<void>((resolve) => deferUntilIdle(resolve));
    requests.write(`Content-Length: ${text.length}\r\n\r\n${text}`);
    await idle;
    order.push('idle');
    expect(order.filter((one, i) => one !== order[i - 1])).to.deep.equal(['handled', 'written', 'idle']);
    server.dispose();
  });
});
