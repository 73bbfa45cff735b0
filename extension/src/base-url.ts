/** Where the kernel of a project answers: what the setting says, else this machine and the port of the project's config. */
import type { Session } from './client.js';
import { projectsOf } from './panels/server-words.js';
import { baseUrl, chosenBaseUrl } from './settings.js';

/** `folder`: with the config file; the first project where it is not known. */
export async function baseUrlOf(session: Session, folder: string | undefined): Promise<string> {
  const chosen = chosenBaseUrl();
  if (chosen !== null) return chosen;
  const all = await projectsOf(session);
  const port = (all.find((one) => one.folder === folder) ?? all[0])?.port ?? 0;
  // 0 is any free port: nobody can know which.
  return port === 0 ? baseUrl() : `http://127.0.0.1:${port}`;
}
