/** Patterns of values that are never sent: hashes, and blind indexes of encrypted columns. */
import { BLIND_FORM, type ModelColumn, type ModelTable } from '../../contract/model.js';
import { memoize } from './memoize.js';
import type { ActionModel } from './model.js';
import type { Registry } from './registry.js';
import { isInside } from './report.js';

interface ConcealInput {
  readonly registry: Registry;
  /** Ids of the plugins in use. */
  readonly uses: ReadonlySet<string>;
  readonly sequence: readonly ActionModel[];
  /** By model. */
  readonly tables: Pick<ReadonlyMap<string, ModelTable>, 'get'>;
  /** Of any table. */
  readonly hasBlindColumns: () => boolean;
}

/** The patterns of plugins, by id: the same for all resources. */
const listForms = memoize(({ plugins }: Registry): readonly (readonly [id: string, form: string])[] =>
  [...plugins].flatMap(([id, { facts }]) => {
    const form = facts?.conceals;
    return typeof form === 'string' ? [[id, form] as const] : [];
  }),
);

const isBlind = ({ blind }: ModelColumn): boolean => blind !== undefined;
export const hasBlindColumns = memoize((tables: ReadonlyMap<string, ModelTable>): boolean =>
  [...tables.values()].some(({ columns }) => columns.some(isBlind)),
);

/** A hash may occur in an expression, a row as JSON, or a view. */
export function buildConcealPattern({ registry, uses, sequence, tables, ...whole }: ConcealInput): RegExp | null {
  const forms = listForms(registry).flatMap(([id, form]) => (uses.has(id) ? [form] : []));
  if (whole.hasBlindColumns()) forms.push(BLIND_FORM);
  if (forms.length === 0) return null;
  const mayHold = sequence.some(({ definition: { finds }, node, models, behind, stores }) => {
    if (stores.length === 0) return false;
    // A table without a model may be a view, and an unknown function may read any.
    const statements = finds.statements.filter((one) => isInside(one.node, node));
    const asked = statements.flatMap(({ scan }) => scan.tables);
    const secret = [...models, ...behind.models].some((model) => {
      const table = tables.get(model);
      return table?.secrets !== undefined || table?.columns.some(isBlind) === true;
    });
    return (
      secret ||
      statements.some(({ language, scan }) => language.hasUnknownCalls(scan)) ||
      new Set(asked.map(({ name }) => name.toLowerCase())).size > models.length
    );
  });
  return mayHold ? compileForms(forms) : null;
}

const compiled = new Map<string, RegExp>();

function compileForms(forms: readonly string[]): RegExp | null {
  if (forms.length === 0) return null;
  const source = forms.join('|');
  const known = compiled.get(source) ?? new RegExp(source);
  compiled.set(source, known);
  return known;
}

/** Of all plugins, whether or not they are in use. */
export const buildStoredFormPattern = (registry: Registry): RegExp | null =>
  compileForms(listForms(registry).map(([, form]) => form));
