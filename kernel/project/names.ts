/** Names of the files that make a folder a project. */
export const CONFIG_NAME = 'lintel.config.json';
