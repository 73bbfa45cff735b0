/** Codes about plugins and kinds that do not go together. Data only. */
import { problem } from './rows.js';

export const PLUGIN_CODES = {
  PLG_UNKNOWN_KIND: problem(
    'error',
    'Unknown kind',
    'The plugin "{name}" is of kind "{kind}", which nobody declares.',
    "Load the kind's package too.",
  ),
  PLG_UNKNOWN_SLOT: problem(
    'error',
    'Unknown slot',
    '"{name}" stands in the slot "{slot}", which nobody opens.',
    "A slot is opened by the grammar or by a plugin's schema.",
  ),
  PLG_DUPLICATE: problem(
    'error',
    'Duplicate plugin',
    '"{name}" is registered twice.',
    'Plugin names are unique within their kind.',
  ),
  PLG_FACTS: problem(
    'error',
    'Facts missing',
    'The plugin "{name}" does not state the fact "{fact}" as {expected}.',
    'The kind says which facts its plugins must state.',
  ),
  PLG_SPEC: problem(
    'error',
    'Spec not valid',
    'The spec of "{name}" is not complete: {what}.',
    'A spec has a name, a summary, examples and counter-examples, and documents every field.',
  ),
  PLG_FIELD_TAKEN: problem(
    'error',
    'Field taken',
    '"{name}" and "{other}" both define the field "{field}" in "{slot}".',
    'Rename one of the fields.',
  ),
} as const;
