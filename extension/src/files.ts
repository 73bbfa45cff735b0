/** Names and globs of the files that belong to a project. Plain data: tests read it too. */

export const CONFIG_FILE = 'lintel.config.json';

/** Folders that hold no project of this workspace. */
export const LEFT_OUT = '**/{node_modules,dist,.git}/**';

/** Files that are definitions by their name, wherever they lie. */
export const NAMED_DEFINITION = /\.(resource|model)\.jsonc?$/;
