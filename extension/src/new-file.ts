/** Creates a resource or model from the gallery. Never overwrites. */
import { ThemeIcon, Uri, window, workspace, type ExtensionContext, type QuickPickItem } from 'vscode';
import { EXCLUDED_FOLDERS } from './files.js';
import type { ExtensionServices } from './services.js';
import {
  addVariables,
  createValue,
  fillPattern,
  findFreePath,
  readGallery,
  type Gallery,
  type Pattern,
  type TakenNames,
} from './gallery.js';
import { offerProject } from './offer-project.js';
import { fetchResources } from './panels/server-requests.js';
import { toFileName, validateResourcePath, validateTableName } from './file-names.js';

type Sort = Pattern['sort'];

/** `target`: the folder that was clicked on, if any. */
export async function createDefinitionFile(
  context: ExtensionContext,
  { projects, session }: Pick<ExtensionServices, 'projects' | 'session'>,
  sort: Sort,
  target?: Uri,
): Promise<void> {
  const root = projects.find(target)?.folder ?? workspace.workspaceFolders?.[0]?.uri;
  if (root === undefined) {
    await offerProject('Definitions are files of a project, and no folder is open.');
    return;
  }
  const gallery = readGallery(context.asAbsolutePath('gallery'));
  const pattern = await pickPattern(gallery, sort);
  if (pattern === undefined) return;
  const resources = await fetchResources(session);
  const taken = { ids: resources.map(({ id }) => id), paths: resources.map(({ path }) => path) };
  const name = await (sort === 'resource' ? promptForPath(pattern, taken) : promptForTable(pattern));
  if (name === undefined) return;
  const file = sort === 'resource' ? `${toFileName(name)}.resource.json` : `_${name}.model.json`;
  const folder = target ?? Uri.joinPath(root, 'definitions', `${sort}s`);
  const uri = Uri.joinPath(folder, file);
  const written = await writeNew(
    uri,
    fillPattern(gallery.readPattern(pattern), pattern, name, toFileName(name), taken),
  );
  if (written) {
    await addModels(gallery, pattern, root);
    await addEnvironment(pattern, projects.find(uri)?.folder ?? root);
  } else void window.showWarningMessage(`${workspace.asRelativePath(uri)} is there already; nothing was written.`);
  await window.showTextDocument(uri);
}

async function pickPattern(gallery: Gallery, sort: Sort): Promise<Pattern | undefined> {
  const items: (QuickPickItem & { pattern: Pattern })[] = gallery.patterns
    .filter((pattern) => pattern.sort === sort)
    .map((pattern) => ({
      label: pattern.title,
      detail: pattern.description,
      iconPath: new ThemeIcon(sort === 'model' ? 'table' : 'symbol-event'),
      pattern,
    }));
  const picked = await window.showQuickPick(items, {
    title: sort === 'model' ? 'New model' : 'New resource',
    placeHolder: 'Begin with which pattern?',
    matchOnDetail: true,
  });
  return picked?.pattern;
}

const promptForPath = (pattern: Pattern, taken: TakenNames): Thenable<string | undefined> =>
  window.showInputBox({
    title: pattern.title,
    prompt: pattern.path === undefined ? 'Name of the file' : 'Path of the endpoint; ":name" stands for any value',
    value:
      findFreePath(pattern.path ?? '', taken) ||
      toFileName((pattern.file.split('/').pop() ?? '').replace(/\.resource\.jsonc?$/, '')),
    validateInput: validateResourcePath,
  });

const promptForTable = (pattern: Pattern): Thenable<string | undefined> =>
  window.showInputBox({
    title: pattern.title,
    prompt: 'Name of the table, without the underscore that its file begins with',
    value: (pattern.file.split('/').pop() ?? '').replace(/^_|\.model\.jsonc?$/g, ''),
    validateInput: validateTableName,
  });

/** Writes the pattern's models that the project lacks. */
async function addModels(gallery: Gallery, { needs = [] }: Pattern, root: Uri): Promise<void> {
  const added: string[] = [];
  for (const name of needs) {
    const model = gallery.findModel(name);
    const found = await workspace.findFiles(`**/${name}{.model,}.{json,jsonc}`, EXCLUDED_FOLDERS, 1);
    if (model === undefined || found.length > 0) continue;
    const uri = Uri.joinPath(root, 'definitions', model.file);
    if (await writeNew(uri, gallery.readPattern(model))) added.push(workspace.asRelativePath(uri));
  }
  if (added.length > 0) void window.showInformationMessage(`Also written: ${added.join(', ')}.`);
}

/** To `.env.example`, and fresh values to `.env`. */
async function addEnvironment({ environment = {} }: Pattern, folder: Uri): Promise<void> {
  const added: string[] = [];
  for (const [name, write] of [['.env.example', (value: string) => value] as const, ['.env', createValue] as const]) {
    const uri = Uri.joinPath(folder, name);
    const before = await workspace.fs.readFile(uri).then(
      (bytes) => new TextDecoder().decode(bytes),
      () => '',
    );
    const text = addVariables(before, environment, write);
    if (text === null) continue;
    await workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    added.push(workspace.asRelativePath(uri));
  }
  if (added.length > 0) void window.showInformationMessage(`Variables of the pattern: ${added.join(', ')}.`);
}

/** Returns false if the file already exists. */
async function writeNew(uri: Uri, text: string): Promise<boolean> {
  const isThere = await workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
  if (isThere) return false;
  await workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return true;
}
