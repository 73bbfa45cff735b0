/** Extracts the violated fields from a validation error. Reads only names of fields and operators, never values. */
export interface Violation {
  readonly path: readonly string[];
  readonly code: 'QRY_NOT_NULL' | 'QRY_BAD_VALUE' | 'QRY_CHECK';
}

type ErrorDetails = Readonly<Record<string, unknown>>;

const toRecords = (value: unknown): readonly ErrorDetails[] =>
  Array.isArray(value) ? value.filter((one): one is ErrorDetails => typeof one === 'object' && one !== null) : [];
const toTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
const getMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as ErrorDetails)[name] : undefined;

/** Other violations follow from a missing field. */
const ORDER = ['QRY_NOT_NULL', 'QRY_BAD_VALUE', 'QRY_CHECK'] as const;

export function parseViolations(errInfo: unknown): Violation[] {
  const found = parseRules(getMember(getMember(errInfo, 'details'), 'schemaRulesNotSatisfied'), []);
  const first = new Map<string, Violation>();
  const sorted = found.sort((a, b) => ORDER.indexOf(a.code) - ORDER.indexOf(b.code));
  for (const one of sorted) {
    const key = JSON.stringify(one.path);
    if (!first.has(key)) first.set(key, one);
  }
  return [...first.values()];
}

function parseRules(rules: unknown, path: readonly string[]): Violation[] {
  return toRecords(rules).flatMap((rule): Violation[] => {
    switch (rule['operatorName']) {
      case 'required':
        return toTexts(rule['missingProperties']).map((name) => ({ path: [...path, name], code: 'QRY_NOT_NULL' }));
      case 'properties':
        return toRecords(rule['propertiesNotSatisfied']).flatMap((one) =>
          parseRules(one['details'], [...path, String(one['propertyName'])]),
        );
      case 'items':
        return parseRules(rule['details'], [...path, String(rule['itemIndex'])]);
      case 'bsonType':
        return [{ path, code: rule['consideredType'] === 'null' ? 'QRY_NOT_NULL' : 'QRY_BAD_VALUE' }];
      case 'multipleOf':
        return [{ path, code: 'QRY_BAD_VALUE' }];
      default:
        return [{ path, code: 'QRY_CHECK' }];
    }
  });
}
