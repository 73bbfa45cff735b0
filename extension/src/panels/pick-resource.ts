/** The one that the lens names, otherwise the user's choice. */
import { window, type Uri } from 'vscode';
import type { Session } from '../client.js';
import { fetchResources, type ListedResource } from './server-requests.js';

/** Undefined when the user cancels or, with a message, no resource exists. */
export async function pickResource(
  session: Session,
  uri: Uri | undefined,
  id: string | undefined,
): Promise<ListedResource | undefined> {
  const all = await fetchResources(session);
  const here = uri?.toString();
  const named = all.filter((one) => one.id === id);
  const found = named.find((one) => one.uri === here) ?? named[0];
  if (found !== undefined) return found;
  if (all.length === 0) {
    const why = session.client() === null ? 'The language server does not run.' : 'There is no resource here yet.';
    void window.showInformationMessage(`${why} "Lintel: New Resource..." makes one.`);
    return undefined;
  }
  const sorted = [...all].sort((a, b) => Number(b.uri === here) - Number(a.uri === here) || (a.path < b.path ? -1 : 1));
  const items = sorted.map((resource) => ({
    label: `/${resource.path}`,
    description: resource.sound ? resource.id : `${resource.id}, has errors`,
    resource,
  }));
  return (await window.showQuickPick(items, { title: 'Lintel: which resource?', matchOnDescription: true }))?.resource;
}
