/** Codes about unreadable or incompatible plugins and about environment variables. Data only. */
import { defineProblem } from './define.js';

export const PLUGIN_CODES = {
  PLG_NOT_FOUND: defineProblem(
    'error',
    'Plugin not found',
    'No plugin is found at "{name}": {what}.',
    'A plugin folder holds `spec.js` (and `kind.js` for a kind), beside it `runtime.js`.',
  ),
  PLG_UNREAD: defineProblem(
    'hint',
    'Plugin not known',
    'Not all is known that "{name}" brings: {what}. Until then, names that no plugin knows are not reported.',
    'Editors and `lintel check` read `plugin.manifest.json`, and run no code of a project. Where a workspace is trusted, editors read specs too, in a process of their own; `lintel check --trust` runs them.',
  ),
  CFG_VARIABLE: defineProblem(
    'error',
    'Environment variable not valid',
    'The environment variable "{name}" must be {expected}.',
    'Correct it, or unset it to use the config file.',
  ),
  PLG_UNKNOWN_KIND: defineProblem(
    'error',
    'Unknown kind',
    'The plugin "{name}" is of kind "{kind}", which nobody declares.',
    "Load the kind's package too.",
  ),
  PLG_UNKNOWN_SLOT: defineProblem(
    'error',
    'Unknown slot',
    '"{name}" stands in the slot "{slot}", which nobody opens.',
    "A slot is opened by the grammar or by a plugin's schema.",
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
    'The plugin "{name}" does not state the fact "{fact}" as {expected}.',
    'The kind says which facts its plugins must state.',
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
