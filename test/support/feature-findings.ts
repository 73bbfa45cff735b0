/** The checks of a plugin's spec, on a hand-written definition object. */
import type { Json } from '../../contract/json.js';
import type { CheckAction, CheckPlace, Finding } from '../../contract/plugin.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';

export type DefinitionObject = Readonly<Record<string, Json>>;

export const AT_ONCE = { scheduled: false, later: false, own: false };
export const createCheckAction = (index: number, rest: Partial<CheckAction> = {}): CheckAction => ({
  ...{
    index,
    noOp: false,
    main: false,
    models: [],
    names: [],
    fields: new Map(),
    fieldsOf: () => null,
    uniques: new Set(),
    answers: null,
    isSecret: () => false,
    openSecrets: [],
    secretReads: [],
    timing: AT_ONCE,
  },
  ...rest,
});

/** The object is the whole definition, too, where no other is given. */
function collectFindings(spec: PluginSpec, holder: DefinitionObject, rest: Partial<CheckPlace>): readonly Finding[] {
  const place: CheckPlace = {
    ...{
      slot: 'resource',
      value: holder,
      holder,
      root: holder,
      testing: false,
      profile: null,
      actions: [],
      outbound: null,
    },
    ...{
      connections: null,
      secrets: new Set<string>(),
      isSecretName: () => false,
      inPath: [],
      env: () => null,
      isSet: () => true,
      facts: () => undefined,
    },
    nearest: () => undefined,
    ...rest,
  };
  return spec.check?.(place) ?? [];
}

/** Code and place of each finding. */
export const listFindings = (
  spec: PluginSpec,
  holder: DefinitionObject,
  rest: Partial<CheckPlace> = {},
): readonly string[] => collectFindings(spec, holder, rest).map(({ code, at }) => `${code} ${at}`);

/** The text of each fix; null for one that writes nothing. */
export const listFixTexts = (
  spec: PluginSpec,
  holder: DefinitionObject,
  rest: Partial<CheckPlace> = {},
): readonly (string | null)[] =>
  collectFindings(spec, holder, rest).map(({ fix }) =>
    fix !== undefined && 'text' in fix ? (fix.text ?? null) : null,
  );
