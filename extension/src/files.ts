/** Names and globs of project files, without editor imports for tests. */

export const CONFIG_FILE = 'lintel.config.json';

/** Folders that never contain a project of the workspace. */
export const EXCLUDED_FOLDERS = '**/{node_modules,dist,.git}/**';

/** Files that are definitions by name, in any folder. */
export const NAMED_DEFINITION = /\.(resource|model)\.jsonc?$/;
