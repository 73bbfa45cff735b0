/** Runs one message: finds and invokes the resource, writes the response frame and notifies observers. */
import { randomUUID } from 'node:crypto';
import type { Fault } from '../../contract/fault.js';
import { createFault } from '../../contract/fault.js';
import type { ResourcePlan } from '../plan/plan.js';
import type { LogFailure } from '../http/app.js';
import { findRoute } from '../http/routes.js';
import { isStranger } from '../http/cross-site.js';
import { ensureFault, invokePlan } from '../runtime/invoke.js';
import type { Kernel } from '../runtime/kernel.js';
import { createErrorResponse, type ErrorResponse } from '../runtime/problem-details.js';
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
  plan: ResourcePlan | null;
  invocation: SocketInvocation | null;
}

export function createWorker(kernel: Kernel, logFailure: LogFailure): Worker {
  const { hooks, project, config } = kernel;
  const timed = hooks.afterResponse !== null || hooks.reply !== null;
  const createLoggedResponse = (failure: Fault, id: string): ErrorResponse => {
    const refusal = createErrorResponse(failure, id, project.registry.codes, config.docs);
    if (refusal.status >= 500) logFailure(failure, id);
    return refusal;
  };

  async function runMessage(
    visit: MessageContext,
    { resource, payload, flaw }: Message,
    peer: Peer,
  ): Promise<[unknown, number]> {
    if (flaw !== null) throw flaw;
    if (resource.length > config.http.limits.url) throw createFault('REQ_NOT_FOUND');
    const { id, startedAt, clock } = visit;
    const deadline = clock + config.http.timeouts.request * 1000;
    const { plan, parameters } = findRoute(kernel.plans(), resource.startsWith('/') ? resource : `/${resource}`);
    visit.plan = plan;
    if (plan.requestOnly) throw createFault('WS_REQUEST_ONLY');
    if (isStranger(peer.sender, plan.proof)) throw createFault('REQ_CROSS_SITE');
    visit.invocation = new SocketInvocation({ id, startedAt, deadline, payload, parameters, timed }, peer);
    const { body, status } = await invokePlan(plan, visit.invocation, hooks);
    return [body, status];
  }

  function createObserver(visit: MessageContext, status: number, code: string | undefined): () => void {
    const tell = hooks.afterResponse;
    if (tell === null) return () => undefined;
    const { id, plan, startedAt, clock, invocation } = visit;
    const record = {
      id,
      trigger: 'websocket',
      resource: plan?.id,
      path: plan === null ? undefined : `/${plan.path}`,
      method: undefined,
      startedAt,
      status,
      code,
      milliseconds: performance.now() - clock,
      actions: invocation?.timings ?? [],
    };
    return () => void tell(record).catch((error: unknown) => logFailure(ensureFault(error), id));
  }

  return {
    reject: createLoggedResponse,
    async handle(message, peer, refusal) {
      const visit: MessageContext = {
        id: randomUUID(),
        startedAt: Date.now(),
        clock: performance.now(),
        plan: null,
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
        const refused = createLoggedResponse(ensureFault(error), visit.id);
        ({ status } = refused);
        ({ code } = refused.body);
        frame = createErrorFrame(uid, message, refused.body);
      }
      visit.invocation?.dispose(code === undefined).catch((error: unknown) => logFailure(ensureFault(error), visit.id));
      return { frame, status, left: createObserver(visit, status, code) };
    },
  };
}
