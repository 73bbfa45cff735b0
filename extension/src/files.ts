/** Names and globs of project files. Plain data without editor imports, because tests import it too. */

export const CONFIG_FILE = 'lintel.config.json';

/** Folders that never contain a project of the workspace. */
export const EXCLUDED_FOLDERS = '**/{node_modules,dist,.git}/**';

/** Files that are definitions by name, in any folder. */
export const NAMED_DEFINITION = /\.(resource|model)\.jsonc?$/;
