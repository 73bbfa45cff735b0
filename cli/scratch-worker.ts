/**
 * A process that checks statements for an editor or for `lintel check`: it holds scratch stores of built-in plugins, and ends with the
 * process that started it or after a time without questions. It runs no code of the project but the scripts that its scratch stores run.
 */
import { constants, setPriority } from 'node:os';
import type { PluginId } from '../contract/plugin.js';
import type { Scratch } from '../contract/statement-check.js';
import {
  PATIENT,
  SCRATCH_PROTOCOL,
  type ScratchReply,
  type ScratchRequest,
} from '../language/project/scratch-messages.js';
import { runtimes } from '../plugins/index.runtime.js';

/** Milliseconds without a question until the process ends and frees its memory; the next question starts another. */
const IDLE = 15 * 60_000;

const open = new Map<PluginId, Promise<Scratch | null>>();

function openScratch(id: PluginId): Promise<Scratch | null> {
  const there = open.get(id);
  if (there !== undefined) return there;
  const made = (async () => (await (await runtimes[id]?.())?.default.scratch?.()) ?? null)();
  open.set(id, made);
  made.catch(() => open.delete(id));
  return made;
}

async function createReply({ id, plugin, trial }: ScratchRequest): Promise<ScratchReply> {
  try {
    const scratch = await openScratch(plugin);
    return { id, answers: trial === null ? [] : ((await scratch?.checkStatements(trial)) ?? []) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

if (process.argv[2] === SCRATCH_PROTOCOL) {
  try {
    if (process.argv[3] === PATIENT) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not permitted everywhere, and not needed.
  }
  const idle = setTimeout(() => process.exit(0), IDLE);
  process.on('message', (request: ScratchRequest) => {
    idle.refresh();
    void createReply(request).then((reply) => process.send?.(reply));
  });
  process.on('disconnect', () => process.exit(0));
} else {
  process.stderr.write(`this version of Lintel speaks protocol ${SCRATCH_PROTOCOL}, not ${process.argv[2] ?? 'none'}`);
  process.exitCode = 1;
}
