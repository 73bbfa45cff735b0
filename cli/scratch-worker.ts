/**
 * A process that checks for an editor or for `lintel check`: it holds scratch stores and compiles plans, and ends
 * with its parent or after a time without questions. It runs no code of the project but SQL scripts.
 */
import { constants, setPriority } from 'node:os';
import type { PluginId } from '../contract/plugin.js';
import type { Problem } from '../contract/problem.js';
import type { Scratch } from '../contract/statement-check.js';
import {
  LONG_REQUEST,
  SCRATCH_PROTOCOL,
  type ProjectTexts,
  type ScratchReply,
  type ScratchRequest,
  type SettingsRequest,
} from '../language/project/scratch-messages.js';
import { runtimes } from '../plugins/index.runtime.js';

/** Milliseconds without a question until the process ends; the next question starts another. */
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

let settings: Promise<(texts: ProjectTexts) => Promise<readonly Problem[]>> | null = null;

/** The kernel is loaded by the first question that needs it. */
async function checkSettings(texts: ProjectTexts): Promise<readonly Problem[]> {
  settings ??= import('./setting-problems.js').then((module) => module.createSettingsChecker());
  return (await settings)(texts);
}

async function createReply(request: ScratchRequest | SettingsRequest): Promise<ScratchReply> {
  const { id } = request;
  try {
    if ('texts' in request) return { id, problems: await checkSettings(request.texts) };
    const { plugin, trial } = request;
    const scratch = await openScratch(plugin);
    return { id, answers: trial === null ? [] : ((await scratch?.checkStatements(trial)) ?? []) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

if (process.argv[2] === SCRATCH_PROTOCOL) {
  try {
    if (process.argv[3] === LONG_REQUEST) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not permitted everywhere, and not needed.
  }
  const idle = setTimeout(() => process.exit(0), IDLE);
  process.on('message', (request: ScratchRequest | SettingsRequest) => {
    idle.refresh();
    void createReply(request).then((reply) => process.send?.(reply));
  });
  process.on('disconnect', () => process.exit(0));
} else {
  process.stderr.write(`this version of Lintel speaks protocol ${SCRATCH_PROTOCOL}, not ${process.argv[2] ?? 'none'}`);
  process.exitCode = 1;
}
