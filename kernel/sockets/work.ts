/** Runs one message: finds and invokes the resource, writes the response frame and notifies observers. */
import { randomUUID } from 'node:crypto';
import type { Fault } from '../../contract/fault.js';
import { fault } from '../../contract/fault.js';
import type { ResourcePlan } from '../plan/plan.js';
import type { LogFailure } from '../http/app.js';
import { findRoute } from '../http/routes.js';
import { isStranger } from '../http/senders.js';
import { asFault, invoke } from '../runtime/invoke.js';
import type { Kernel } from '../runtime/kernel.js';
import { refuse, type Refusal } from '../runtime/problem-details.js';
import { SocketInvocation, type Peer } from './invocation.js';
import { answerFrame, errorFrame, type Message } from './message.js';

export interface Worked {
  readonly frame: Buffer;
  readonly status: number;
  /** Must be called when the frame was sent or failed. */
  readonly left: () => void;
}

export interface Worker {
  /** Never rejects. `refusal`: the response, instead of running the message. */
  work(message: Message, peer: Peer, refusal?: Fault): Promise<Worked>;
  refuse(failure: Fault, id: string): Refusal;
}

interface Visit {
  readonly id: string;
  readonly startedAt: number;
  readonly clock: number;
  plan: ResourcePlan | null;
  invocation: SocketInvocation | null;
}

export function createWorker(kernel: Kernel, tellFailure: LogFailure): Worker {
  const { hooks, project, config } = kernel;
  const timed = hooks.afterResponse !== null || hooks.reply !== null;
  const refuseAs = (failure: Fault, id: string): Refusal => {
    const refusal = refuse(failure, id, project.registry.codes, config.docs);
    if (refusal.status >= 500) tellFailure(failure, id);
    return refusal;
  };

  async function answer(visit: Visit, { resource, payload, flaw }: Message, peer: Peer): Promise<[unknown, number]> {
    if (flaw !== null) throw flaw;
    if (resource.length > config.http.limits.url) throw fault('REQ_NOT_FOUND');
    const { id, startedAt, clock } = visit;
    const deadline = clock + config.http.timeouts.request * 1000;
    const { plan, parameters } = findRoute(kernel.plans(), resource.startsWith('/') ? resource : `/${resource}`);
    visit.plan = plan;
    if (plan.requestOnly) throw fault('WS_REQUEST_ONLY');
    if (isStranger(peer.sender, plan.proof)) throw fault('REQ_CROSS_SITE');
    visit.invocation = new SocketInvocation({ id, startedAt, deadline, payload, parameters, timed }, peer);
    const { body, status } = await invoke(plan, visit.invocation, hooks);
    return [body, status];
  }

  function observer(visit: Visit, status: number, code: string | undefined): () => void {
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
    return () => void tell(record).catch((error: unknown) => tellFailure(asFault(error), id));
  }

  return {
    refuse: refuseAs,
    async work(message, peer, refusal) {
      const visit: Visit = {
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
        const [body, given] = await answer(visit, message, peer);
        frame = answerFrame(uid, message, body);
        status = given;
      } catch (error) {
        const refused = refuseAs(asFault(error), visit.id);
        ({ status } = refused);
        ({ code } = refused.body);
        frame = errorFrame(uid, message, refused.body);
      }
      visit.invocation?.finish(code === undefined).catch((error: unknown) => tellFailure(asFault(error), visit.id));
      return { frame, status, left: observer(visit, status, code) };
    },
  };
}
