/** JSON Schema of a result after `returnables`, by the runtime's lookup over names. */
import type { ApiResults, Forms } from '../../../contract/api.js';
import {
  ANY,
  isAny,
  isList,
  isNull,
  isObjectSchema,
  mapRows,
  createNameLookup,
  NULL,
  pickNames,
  getProperties,
  omitNames,
  type FindName,
} from '../../../contract/forms.js';
import { listNames } from '../shared/listed-names.light.js';

/** Names in the main actionable's own `returnables` remain even if secret. */
export function hideSecretForms(forms: Forms, { secrets, main }: ApiResults): Forms {
  const own = listNames(main?.['returnables']) ?? [];
  return mapRows(forms, (row) => omitNames(row, (name) => secrets.has(name) && !own.includes(name)));
}

/** Looks in the main result, the others (latest first), then extracted names. A list stays a list. */
export function selectForms(forms: Forms, names: readonly string[], results: ApiResults): Forms {
  return forms.flatMap((form): Forms => {
    if (isAny(form)) return [ANY];
    if (isList(form)) return mapRows([form], (row) => pickNames(names, createNameLookup(row)));
    const answer = pickNames(
      names,
      (name) => (isObjectSchema(form) ? createNameLookup(form)(name) : null) ?? findOtherName(name, results),
    );
    const isFilled = Object.keys(getProperties(answer) ?? {}).length > 0;
    if (!isNull(form)) return [answer];
    // A missing row stays null unless another result provides a value.
    return isFilled ? [answer, NULL] : [NULL];
  });
}

function findOtherName(name: string, { others, names }: ApiResults): ReturnType<FindName> {
  const [root = ''] = name.split('.');
  const found = others.flatMap((forms) => {
    const rows = forms.filter((form) => isObjectSchema(form) || isAny(form));
    const inside = rows.flatMap((row) => createNameLookup(row)(name) ?? []);
    return inside.length === 0 ? [] : [{ inside, only: forms.length === 1 }];
  });
  const [first] = found;
  const [only] = first?.inside ?? [];
  if (first !== undefined && only !== undefined) {
    const single = found.length === 1 && first.inside.length === 1;
    return { schema: single ? only.schema : ANY, certain: first.only && only.certain };
  }
  return names.has(root) ? { schema: ANY, certain: false } : null;
}
