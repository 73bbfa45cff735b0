/** Made from the specs by `npm run generate`; edits are lost. */

/** Globs of definitions where the config names none. */
export const DEFINITIONS: readonly string[] = ['definitions/**/*.json', 'definitions/**/*.jsonc'];

/** Source of the expression that the path of a resource has to match. */
export const RESOURCE_PATH =
  '^(?!(.*\\/)?\\.{1,2}(\\/|$))(:[A-Za-z_][A-Za-z0-9_]*|[A-Za-z0-9._~-]+)(\\/(:[A-Za-z_][A-Za-z0-9_]*|[A-Za-z0-9._~-]+))*$';
