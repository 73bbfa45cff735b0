/** Sorts the columns of a model by what the resources of its table do with them. Pure. */
import type { ModelColumn, ModelTable } from '../../../../contract/model.js';

/** The column of the signed-in user, and the claim with its value. */
export interface RowOwner {
  readonly column: string;
  readonly claim: string;
}

export interface CrudColumns {
  readonly table: ModelTable;
  readonly keys: readonly ModelColumn[];
  /** By which a caller names a row: the keys without the owner. */
  readonly named: readonly ModelColumn[];
  /** The statement makes the key: null if the caller or the database does. */
  readonly generator: 'UUID' | 'ULID' | null;
  readonly owner: RowOwner | null;
  /** In responses. */
  readonly shown: readonly ModelColumn[];
  /** Values come from the caller when a row is created; its own key too, if nothing else creates it. */
  readonly given: readonly ModelColumn[];
  /** A caller may change them. */
  readonly changed: readonly ModelColumn[];
  readonly filters: readonly ModelColumn[];
  readonly sorts: readonly ModelColumn[];
  readonly createdAt: boolean;
  readonly updatedAt: boolean;
  readonly softDelete: boolean;
}

const STAMPS = ['created_at', 'updated_at'];
const DELETED = 'deleted_at';
const UUID_LENGTH = 36;
const ULID_LENGTH = 26;
/** Payload fields of a list that are no columns. */
const isListField = (name: string): boolean => /^(?:sort|limit|after_.*)$/.test(name);

function findGenerator(keys: readonly ModelColumn[]): CrudColumns['generator'] {
  const [key, second] = keys;
  if (key === undefined || second !== undefined || key.type !== 'text' || key.references !== null) return null;
  const length = key.maxLength ?? UUID_LENGTH;
  return length >= UUID_LENGTH ? 'UUID' : length >= ULID_LENGTH ? 'ULID' : null;
}

/** More would make the statement of the list long; the project adds its own. */
const MOST_SORTS = 5;

/** Indexed columns and stamps first. A row without a value has no place in such an order. */
function listSorts(
  shown: readonly ModelColumn[],
  keys: readonly ModelColumn[],
  owner: RowOwner | null,
): readonly ModelColumn[] {
  const isLikely = ({ name, unique, index }: ModelColumn): boolean => unique || index || STAMPS.includes(name);
  const sorts = shown.filter(
    (one) =>
      !/^(?:json|boolean)$/.test(one.type) &&
      !one.nullable &&
      one.references === null &&
      one.blind === undefined &&
      one.name !== owner?.column &&
      !keys.includes(one),
  );
  const likely = [...sorts.filter(isLikely), ...sorts.filter((one) => !isLikely(one))].slice(0, MOST_SORTS);
  return sorts.filter((one) => likely.includes(one));
}

export function sortColumns(table: ModelTable, owner: RowOwner | null): CrudColumns {
  const columns = table.columns.filter(({ blindOf }) => blindOf === undefined);
  const hasStamp = (name: string): boolean => columns.some((one) => one.name === name && one.type === 'timestamp');
  const softDelete = columns.some(({ name, type, nullable }) => name === DELETED && type === 'timestamp' && nullable);
  const isOwn = ({ name, type }: ModelColumn): boolean =>
    name === owner?.column || (STAMPS.includes(name) && type === 'timestamp') || (softDelete && name === DELETED);
  const keys = columns.filter(({ primaryKey }) => primaryKey);
  const generator = findGenerator(keys);
  const given = columns.filter((one) => !isOwn(one) && !one.autoIncrement && !(one.primaryKey && generator !== null));
  const shown = columns.filter(({ name, secret }) => !secret && !(softDelete && name === DELETED));
  const isPlain = ({ type }: ModelColumn): boolean => type !== 'json';
  return {
    ...{ table, keys, generator, owner, shown, given, softDelete },
    named: keys.filter(({ name }) => name !== owner?.column),
    changed: given.filter(({ primaryKey }) => !primaryKey),
    filters: shown.filter(
      (one) =>
        isPlain(one) &&
        !isOwn(one) &&
        !isListField(one.name) &&
        !/^(?:timestamp|float)$/.test(one.type) &&
        keys[0] !== one,
    ),
    sorts: listSorts(shown, keys, owner),
    createdAt: hasStamp('created_at'),
    updatedAt: hasStamp('updated_at'),
  };
}
