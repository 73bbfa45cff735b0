/** Codes about plugins and environment variables. */
import { defineProblem } from './define.js';

export const PLUGIN_CODES = {
  PLG_NOT_FOUND: defineProblem(
    'error',
    'Plugin not found',
    'No plugin is found at "{name}": {what}.',
    'A plugin folder contains `spec.js` (`kind.js` for a kind) and `runtime.js`.',
  ),
  PLG_UNREAD: defineProblem(
    'hint',
    'Plugin not read',
    'The plugin "{name}" is not fully read: {what}. Until then, unknown names are not reported.',
    'Editors and `lintel check` read `plugin.manifest.json` and run no project code. In a trusted workspace, editors also run specs, in a separate process; so does `lintel check --trust`.',
  ),
  PLG_PACKAGE: defineProblem(
    'error',
    'Package not installed',
    '`{plugin}` needs {packages}, not installed here: `{command}`.',
    'Lintel brings the packages that every project needs. Run the command in the folder of the project.',
  ),
  PLG_UNCHECKED: defineProblem(
    'warning',
    'Statements not checked',
    'No database checks the statements: that needs {packages}, not installed here: `{command}`.',
    'The embedded database analyses statements without running them. `lintel check --database` asks the configured one.',
  ),
  CFG_NO_FILE: defineProblem(
    'error',
    'Pattern without files',
    'No file matches "{pattern}", so it defines nothing.',
    'Patterns are relative to the config. Correct the folder or the ending, or remove the pattern.',
  ),
  CFG_VARIABLE: defineProblem(
    'error',
    'Environment variable not valid',
    'The environment variable "{name}" must be {expected}.',
    'Fix it, or unset it to use the config file.',
  ),
  PLG_UNKNOWN_KIND: defineProblem(
    'error',
    'Unknown kind',
    'The plugin "{name}" is of kind "{kind}", which is not declared.',
    'Load the package of the kind.',
  ),
  PLG_UNKNOWN_SLOT: defineProblem(
    'error',
    'Unknown slot',
    '"{name}" uses the slot "{slot}", which is not declared.',
    'Slots are declared by the grammar or the schema of a plugin.',
  ),
  PLG_DUPLICATE: defineProblem(
    'error',
    'Duplicate plugin',
    '"{name}" is registered twice.',
    'Plugin names are unique within their kind.',
  ),
  PLG_FACTS: defineProblem(
    'error',
    'Facts missing',
    'The plugin "{name}" must declare the fact "{fact}" as {expected}.',
    'The kind lists the facts that its plugins must declare.',
  ),
  PLG_SPEC: defineProblem(
    'error',
    'Spec not valid',
    'The spec of "{name}" is not complete: {what}.',
    'A spec has a name, a summary, examples and counter-examples, and documents every field.',
  ),
  PLG_FIELD_TAKEN: defineProblem(
    'error',
    'Field taken',
    '"{name}" and "{other}" both define the field "{field}" in "{slot}".',
    'Rename one of the fields.',
  ),
} as const;
