/** Joins or leaves rooms after the commit. A request without a WebSocket connection is rejected before any work. */
import { createFault } from '../../../contract/fault.js';
import type { Json } from '../../../contract/json.js';
import type { Connection, Frame, PlanTools, Step } from '../../../contract/plan.js';
import { ActionPhase, ResourcePhase } from '../../../contract/slot.js';
import { createRoomReader, type Room } from '../../shared/room-names.js';
import { readsResults } from './reads-results.js';

const requireConnection = ({ invocation: { connection } }: Frame): Connection => {
  if (connection === null) throw createFault('WS_NO_CONNECTION');
  return connection;
};

export function createRoomSteps(field: 'join_room' | 'leave_room', written: Json, tools: PlanTools): Step[] {
  const rooms = Array.isArray(written) ? (written as readonly Json[]) : [written];
  const readers = rooms.map((room) => createRoomReader(room, field, tools));
  const read = (frame: Frame): Room[] => readers.map((reader) => reader(frame));
  const applyRooms = (connection: Connection, names: readonly Room[]): void => {
    for (const { key, name } of names) {
      if (field === 'leave_room') connection.leave(key);
      else if (!connection.join(key)) throw createFault('WS_ROOMS_FULL', { name });
    }
  };
  const early = readsResults(written, tools) ? null : tools.allocateSlot();
  const settle: Step = {
    id: field,
    phase: ActionPhase.SETTLE,
    order: 200,
    run: (frame) => {
      const connection = requireConnection(frame);
      const names = early === null ? read(frame) : ((frame.slots[early] ??= read(frame)) as Room[]);
      return frame.afterCommit(() => applyRooms(connection, names));
    },
  };
  const joinStep: Step = {
    id: field,
    phase: ResourcePhase.CHECK,
    order: -900,
    run: (frame) => void requireConnection(frame),
  };
  if (early === null) return [joinStep, settle];
  const before: Step = {
    id: field,
    phase: ActionPhase.PREPARE,
    run: (frame) => void (frame.slots[early] = read(frame)),
  };
  return [joinStep, before, settle];
}
