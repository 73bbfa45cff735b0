/** Resolves a project's base URL: the setting if present, otherwise localhost with the port of the project's config. */
import type { Session } from './client.js';
import { fetchProjects } from './panels/server-requests.js';
import { getBaseUrl, findConfiguredBaseUrl } from './settings.js';

/** Contains the config file; else the first project is used. */
export async function resolveBaseUrl(session: Session, folder: string | undefined): Promise<string> {
  const chosen = findConfiguredBaseUrl();
  if (chosen !== null) return chosen;
  const all = await fetchProjects(session);
  const port = (all.find((one) => one.folder === folder) ?? all[0])?.port ?? 0;
  // Port 0 means any free port, so the real port is unknown here.
  return port === 0 ? getBaseUrl() : `http://127.0.0.1:${port}`;
}
