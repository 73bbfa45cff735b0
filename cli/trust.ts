/** Without `--trust`, a command runs no code of the project's plugins. */
import { loadProject } from '../plugins/distribution.js';
import type { Project } from '../language/project/project.js';
import type { CommandOptions } from './options.js';
import type { Terminal } from './terminal.js';

/** Exit code of a command that needs `--trust`. */
export const UNTRUSTED = 2;

/**
 * `needs`: the command runs plugins, or reads what their manifests say. Returns null if that takes code of the project and
 * `--trust` is missing; the reason was printed.
 */
export async function loadTrustedProject(
  command: string,
  needs: 'code' | 'manifests',
  { config, trust }: Pick<CommandOptions, 'config' | 'trust'>,
  { cwd, env, stderr }: Terminal,
): Promise<Project | null> {
  const project = await loadProject(cwd, config, env, false, trust);
  const { unrun } = project;
  if (unrun === null || (needs === 'manifests' && unrun.unread.size === 0)) return project;
  const named = `the config names plugins in ${unrun.folders.join(', ')}`;
  const why = needs === 'code' ? named : `${named}, and ${[...unrun.unread.values()].join('; ')}`;
  const what = needs === 'code' ? 'runs plugins, so it needs' : 'needs';
  stderr.write(`lintel ${command} ${what} --trust: ${why}. Use it only for projects that you trust.\n`);
  return null;
}
