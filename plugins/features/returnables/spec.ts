/** Spec of `returnables`: which fields are returned. Also removes secret fields where no list is written. */
import { asText, isObject, type Json } from '../../../contract/json.js';
import type { ApiPart, ApiPlace, ApiResults, Forms } from '../../../contract/api.js';
import { definePlugin, type CheckAction, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { list, shape, text } from '../../../contract/combinators.js';

import { ActionPhase, ResourcePhase } from '../../../contract/slot.js';
import {
  ANY,
  createNameLookup,
  getProperties,
  isAny,
  isList,
  isNull,
  isObjectSchema,
  mapRows,
  NULL,
  omitNames,
  pickNames,
  type FindName,
} from '../../../contract/forms.js';
import { findSecretsReturned } from './secrets.light.js';
import { listNames, listUncoveredNames, readNames } from '../shared/listed-names.light.js';
import { DEFAULT_PROPERTY } from '../shared/issues-tokens.light.js';

const NAMED = { symbol: 'value', soft: true } as const;

const createNamesField = (doc: string) =>
  list(
    text({ doc: 'A name, or a dotted path with fields and indexes.', examples: ['email'], refers: NAMED }).required(),
    {
      doc,
      form: '["id", "email"]',
      examples: [['id', 'email']],
    },
  );

export default definePlugin({
  kind: 'feature',
  name: 'returnables',
  since: '0.1.0',
  summary: 'Names of the values that are returned. All other values are left out.',
  details:
    'On an actionable, only these names of its result remain. On the resource, each name is looked up in the main ' +
    'result, then in the results of the other actionables, latest first, then among the `for` names. Without a list, ' +
    'the whole result is returned. A field that is hashed, encrypted or marked `secret` is left out at any depth, ' +
    'also inside rows that are wrapped or read as JSON and under an alias (`password AS pw`), unless its own path is ' +
    'listed: `user` does not include `user.password`.',
  facts: { applies: 'always' },
  slots: {
    resource: shape({ returnables: createNamesField('Names of the values that the resource returns.') }),
    actionable: shape({ returnables: createNamesField('Names of the result that remain; the others are removed.') }),
  },
  check,
  openapi: describeApi,
  errors: {
    RET_STAR: {
      severity: 'error',
      title: 'Wildcard in `returnables`',
      message: '"*" is not a name; list the returned names, such as `["id", "email"]`, or omit `returnables`.',
      help: 'Names are explicit, so that a column added later is not returned by accident.',
    },
    RET_NOT_THERE: {
      severity: 'warning',
      title: 'Name that no result has',
      message: 'No result here has "{name}", so it is not returned.{hint}',
      help: 'List names that the statement returns (`RETURNING id, email`), that a file has (`url`), or that `for` defines.',
    },
    RET_SECRET: {
      severity: 'error',
      title: 'Secret under another name',
      message: 'This returns the secret "{name}" under another name.',
      help: 'List in `returnables` what callers need.',
    },
    RET_EVERYTHING: {
      severity: 'warning',
      title: 'Everything is returned',
      message:
        'Neither the resource nor this actionable has `returnables`: every column but the secret ones is returned.',
      help: 'List the names that callers need.',
    },
  },
  examples: [
    { title: 'Two names', json: { returnables: ['id', 'name'] } },
    { title: 'A nested value', json: { returnables: ['address.city'] } },
  ],
  counterExamples: [
    { title: 'A wildcard', json: { returnables: ['*'] }, code: 'RET_STAR', at: '/returnables/0' },
    { title: 'Text instead of a list', json: { returnables: 'id' }, code: 'DEF_TYPE', at: '/returnables' },
  ],
});

function check(place: CheckPlace): Finding[] {
  const { returnables } = place.value;
  const written = Array.isArray(returnables) ? (returnables as readonly unknown[]) : [];
  const stars = written.flatMap((name, i) =>
    typeof name === 'string' && /^(.+\.)?\*$/.test(name) ? [{ code: 'RET_STAR', at: `/returnables/${i}` }] : [],
  );
  return [...stars, ...checkMissing(place), ...checkNames(place, written)];
}

/** A star, and invented names for results. */
const REPORTED_ELSEWHERE = /^\*$|^\$|^(self_|(action|actionable|result|step)s?_?\d+)$/i;

/** Reports names that no result has, only where all columns are known. */
function checkNames(
  { slot, holder, root, actions, facts, nearest, secrets }: CheckPlace,
  written: readonly unknown[],
): Finding[] {
  if (written.length === 0) return [];
  const list: readonly unknown[] = Array.isArray(root['actionables']) ? root['actionables'] : [];
  const own = slot === 'actionable' ? holder['id'] : undefined;
  const known = listOutputNames(list, excludeDeferred(actions, own), facts, own);
  if (known === null) return [];
  const late = own === undefined ? listOutputNames(list, actions.filter(isDeferred), facts, own) : null;
  const names = slot === 'actionable' ? known : [...known, ...listIntroducedNames(root)];
  // The token is part of the resource's response, whichever list names it.
  const has = new Set([...names, getTokenProperty(root)]);
  return written.flatMap((name, i): Finding[] => {
    const first = typeof name === 'string' ? name.split('.').find((segment) => !/^\d+$/.test(segment)) : undefined;
    if (first === undefined || REPORTED_ELSEWHERE.test(first) || has.has(first)) return [];
    const near = names.find((one) => one.toLowerCase() === first.toLowerCase()) ?? nearest(first, names);
    // A fix must not suggest a secret field, which is returned only if listed.
    const fix =
      near === undefined || name !== first || secrets.has(near)
        ? {}
        : { fix: { title: `change to "${near}"`, text: JSON.stringify(near) } };
    const isLate = late?.some((one) => one.toLowerCase() === first.toLowerCase()) === true;
    const suggestion = near === undefined ? '' : ` Did you mean "${near}"?`;
    const hint = isLate ? ' It is available only after the response.' : suggestion;
    return [{ code: 'RET_NOT_THERE', at: `/returnables/${i}`, params: { name: first, hint }, ...fix }];
  });
}

/** Deferred by its own settings or scheduled; a resource that defers it has no other response. */
const isDeferred = ({ timing }: CheckAction): boolean => timing.own || timing.scheduled;
const excludeDeferred = (actions: CheckPlace['actions'], id: unknown): CheckPlace['actions'] =>
  id === undefined ? actions.filter((action) => !isDeferred(action)) : actions;

/** Names of one actionable or of all given ones; null where one is unknown. */
function listOutputNames(
  list: readonly unknown[],
  actions: CheckPlace['actions'],
  facts: CheckPlace['facts'],
  id: unknown,
): readonly string[] | null {
  const names: string[] = [];
  for (const [index, action] of list.entries()) {
    if (!isObject(action)) return null;
    if (id !== undefined && action['id'] !== id) continue;
    if (!actions.some((one) => one.index === index)) continue;
    // Merged results add the names of other actionables.
    if (action['combine_returned_results_from'] !== undefined) return null;
    const outputs = facts('mode', asText(action['mode']))?.outputs;
    const known = Array.isArray(outputs)
      ? (outputs as readonly string[])
      : actions.find((one) => one.index === index)?.answers;
    if (known === undefined || known === null) return null;
    names.push(...known);
  }
  return names;
}

/** Empty where no token is issued. */
function getTokenProperty({ tokenize }: CheckPlace['root']): string {
  return isObject(tokenize) ? asText(tokenize['property_name'] ?? DEFAULT_PROPERTY) : '';
}

/** Names of `for`, of generated values and of the token. */
function listIntroducedNames(root: CheckPlace['root']): string[] {
  const names: string[] = [getTokenProperty(root)];
  const visit = (json: Json | undefined): void => {
    if (Array.isArray(json)) (json as readonly Json[]).forEach(visit);
    else if (isObject(json)) {
      if (typeof json['for'] === 'string') names.push(json['for']);
      Object.values(json).forEach(visit);
    }
  };
  visit(root['actionables']);
  return names.filter((name) => name !== '');
}

/** Values written in the definition are intended to be returned. */
function checkMissing(place: CheckPlace): Finding[] {
  const { slot, holder, actions, secrets } = place;
  if (slot !== 'resource') return [];
  const begun = actions.filter(({ timing }) => !timing.later && !timing.scheduled);
  const main = begun.find((action) => action.main) ?? begun.filter((action) => !action.noOp).at(-1);
  const list = holder['actionables'];
  const written = main === undefined || !Array.isArray(list) ? undefined : (list as readonly unknown[])[main.index];
  if (main === undefined || !isObject(written)) return [];
  const at = `/actionables/${main.index}`;
  const listed = readNames(holder['returnables'] ?? written['returnables']);
  const leaks = findSecretsReturned(place, main.index, listed);
  if (listed !== null) return leaks;
  // An UPDATE without RETURNING returns nothing.
  if (main.models.length === 0 || main.answers?.length === 0) return leaks;
  const names = (main.answers ?? []).filter((name) => !secrets.has(name));
  const fix = {
    title: `list them: ${names.join(', ')}`,
    edits: [{ at: '/returnables', put: names }],
    asks: true as const,
  };
  return [...leaks, { code: 'RET_EVERYTHING', at: `${at}/id`, ...(names.length > 0 && { fix }) }];
}

function describeApi({ slot, value }: ApiPlace): ApiPart {
  const names = listUncoveredNames(value['returnables']);
  if (slot === 'actionable') {
    if (names === null) return { repeatable: true };
    return {
      repeatable: true,
      changes: [
        {
          phase: ActionPhase.SHAPE,
          change: (forms) => mapRows(forms, (row) => pickNames(names, createNameLookup(row))),
        },
      ],
    };
  }
  return {
    repeatable: true,
    changes: [
      {
        phase: ResourcePhase.REPLY,
        change: (forms, results) =>
          names === null ? hideSecretForms(forms, results) : selectForms(forms, names, results),
      },
    ],
  };
}

/** Names in the main actionable's own `returnables` remain even if secret. */
function hideSecretForms(forms: Forms, { secrets, main }: ApiResults): Forms {
  const own = listNames(main?.['returnables']) ?? [];
  return mapRows(forms, (row) => omitNames(row, (name) => secrets.has(name) && !own.includes(name)));
}

/** Looks in the main result, the others (latest first), then extracted names. A list stays a list. */
function selectForms(forms: Forms, names: readonly string[], results: ApiResults): Forms {
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
