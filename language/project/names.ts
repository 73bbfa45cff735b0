/** The file name that makes a folder a project. */
export const CONFIG_NAME = 'lintel.config.json';
