/** The call stack of a stopped request: the place, the actionables that wait for it, and the resource. */
import type { Kernel } from '../../kernel/runtime/kernel.js';
import type { Debugger } from './debugger.js';
import type { Place, SourceSpot } from './places.js';
import type { DebugThread, Stop } from './threads.js';

export interface StackLevel {
  readonly name: string;
  readonly place: Place;
  readonly spot: SourceSpot | null;
  readonly isTop: boolean;
}

const MOMENTS = { enter: 'before its dependencies', before: 'before', step: '', after: 'after' } as const;

export function buildStack({ definitions, kernel }: Debugger, thread: DebugThread, stop: Stop): StackLevel[] {
  const { place, fault } = stop;
  const { resource, action, field, moment } = place;
  const all = definitions();
  const top = {
    name: [action ?? resource, field ?? (fault === null ? MOMENTS[moment] : '')]
      .filter((part) => part !== '')
      .join(' · '),
    place,
    spot: locateStop(stop, all),
    isTop: true,
  };
  const waiting = action === null ? [] : all.listCallers(resource, action);
  const callers = waiting.map((key): StackLevel => {
    const at: Place = { resource, action: key, field: 'depends_on', moment: 'step' };
    return { name: `${key} · depends_on`, place: at, spot: all.locate(at), isTop: false };
  });
  const origin = describeThread(thread, kernel);
  if (action === null) return [{ ...top, name: `${top.name} · ${origin}` }];
  const whole: Place = { resource, action: null, field: null, moment: 'before' };
  return [top, ...callers, { name: origin, place: whole, spot: all.locate(whole), isTop: false }];
}

/** At the rule of a breakpoint; a rejection at the rule whose field the first issue names. */
function locateStop(
  { place, fault, breakpoints }: Stop,
  definitions: ReturnType<Debugger['definitions']>,
): SourceSpot | null {
  const [hit] = breakpoints;
  if (hit?.target) return hit.target.spot;
  const name = fault?.options.issues?.[0]?.pointer.split('/').at(-1) ?? '';
  return (name === '' ? null : definitions.locateInside(place, name)) ?? definitions.locate(place);
}

/** `POST /wallet/transfer`, `job of mails/send, attempt 2`. */
export function describeThread({ invocation, resource }: DebugThread, kernel: Kernel): string {
  const path = kernel.plans().byId.get(resource)?.path ?? resource;
  const { trigger, attempt } = invocation;
  if (trigger === 'http') return `/${path}`;
  return `${trigger} /${path}${attempt === undefined ? '' : `, attempt ${attempt}`}`;
}
