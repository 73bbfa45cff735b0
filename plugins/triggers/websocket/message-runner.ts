/** Runs one message: finds and invokes the resource, writes the response frame and notifies observers. */
import { randomUUID } from 'node:crypto';
import { createFault, type Fault } from '../../../contract/fault.js';
import type { ErrorResponse } from '../../../contract/problem.js';
import {
  isForeignSender,
  type ConnectionSettings,
  type FoundResource,
  type TriggerServices,
} from '../../../contract/trigger.js';
import { SocketInvocation, type Peer } from './invocation.js';
import { createResponseFrame, createErrorFrame, type Message } from './message.js';

export interface HandledMessage {
  readonly frame: Buffer;
  readonly status: number;
  /** Must be called when the frame was sent or failed. */
  readonly left: () => void;
}

export interface Worker {
  /** Never rejects. `refusal`: the response, instead of running the message. */
  handle(message: Message, peer: Peer, refusal?: Fault): Promise<HandledMessage>;
  reject(failure: Fault, id: string): ErrorResponse;
}

interface MessageContext {
  readonly id: string;
  readonly startedAt: number;
  readonly clock: number;
  resource: FoundResource | null;
  invocation: SocketInvocation | null;
}

export function createWorker(running: TriggerServices, { http }: ConnectionSettings): Worker {
  const { timed, notifyObservers } = running;

  async function runMessage(
    visit: MessageContext,
    { resource, payload, flaw }: Message,
    peer: Peer,
  ): Promise<[unknown, number]> {
    if (flaw !== null) throw flaw;
    if (resource.length > http.limits.url) throw createFault('REQ_NOT_FOUND');
    const { id, startedAt, clock } = visit;
    const deadline = clock + http.timeouts.request * 1000;
    const found = running.findResource(resource.startsWith('/') ? resource : `/${resource}`);
    visit.resource = found;
    const { parameters } = found;
    if (found.requestOnly) throw createFault('WS_REQUEST_ONLY');
    if (isForeignSender(peer.sender, found.proof)) throw createFault('REQ_CROSS_SITE');
    visit.invocation = new SocketInvocation({ id, startedAt, deadline, payload, parameters, timed }, peer);
    const { body, status } = await found.invoke(visit.invocation);
    return [body, status];
  }

  function createObserver(visit: MessageContext, status: number, code: string | undefined): () => void {
    if (notifyObservers === null) return () => undefined;
    const { id, resource, startedAt, clock, invocation } = visit;
    const record = {
      id,
      trigger: 'websocket',
      resource: resource?.id,
      path: resource === null ? undefined : `/${resource.path}`,
      method: undefined,
      startedAt,
      status,
      code,
      milliseconds: performance.now() - clock,
      actions: invocation?.timings ?? [],
    };
    return () => notifyObservers(record);
  }

  return {
    reject: running.respondToFailure,
    async handle(message, peer, refusal) {
      const visit: MessageContext = {
        id: randomUUID(),
        startedAt: Date.now(),
        clock: performance.now(),
        resource: null,
        invocation: null,
      };
      const { uid } = peer.connection;
      let frame: Buffer;
      let status: number;
      let code: string | undefined;
      try {
        if (refusal !== undefined) throw refusal;
        const [body, given] = await runMessage(visit, message, peer);
        frame = createResponseFrame(uid, message, body);
        status = given;
      } catch (error) {
        const refused = running.respondToFailure(error, visit.id);
        ({ status } = refused);
        ({ code } = refused.body);
        frame = createErrorFrame(uid, message, refused.body);
      }
      visit.invocation?.dispose(code === undefined).catch((error: unknown) => running.logFailure(error, visit.id));
      return { frame, status, left: createObserver(visit, status, code) };
    },
  };
}
