/**
 * The rows of the benchmark: which endpoint is called with which bodies, and what its right answers are. A row knows
 * nothing about who answers it; all targets are asked the same.
 */
import { createBody, readBody, seeded } from './account-table.js';

export interface Row {
  readonly name: string;
  readonly title: string;
  readonly path: string;
  /** The body of the n-th request; a measurement cycles through the first thousand. */
  readonly body: (n: number) => object;
  /** Whether each request leaves a row behind; their number is checked after a measurement. */
  readonly inserts: boolean;
  /** Members that differ from answer to answer, each with the shape that it must have. */
  readonly varying: Readonly<Record<string, (value: unknown) => boolean>>;
  /** Bodies that must be refused with this status; the words of the refusal are each target's own. */
  readonly refused: readonly { readonly body: object; readonly status: number }[];
}

const isId = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0;

const isRecentInstant = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) &&
  Math.abs(Date.now() - Date.parse(value)) < 60_000;

export const rows: readonly Row[] = [
  {
    name: 'health',
    title: 'static JSON',
    path: '/health',
    body: () => ({}),
    inserts: false,
    varying: {},
    refused: [],
  },
  {
    name: 'account-read',
    title: 'one row by key',
    path: '/account-read',
    body: readBody,
    inserts: false,
    varying: {},
    refused: [
      { body: { id: seeded + 1_000_000_000 }, status: 404 },
      { body: { id: 'one' }, status: 422 },
      { body: {}, status: 422 },
    ],
  },
  {
    name: 'account-create',
    title: 'validated insert',
    path: '/account-create',
    body: createBody,
    inserts: true,
    varying: { id: isId, created_at: isRecentInstant },
    refused: [
      { body: { ...createBody(1), email: 'nobody' }, status: 422 },
      { body: { ...createBody(1), owner: 'x'.repeat(81) }, status: 422 },
      { body: { ...createBody(1), balance: 'much' }, status: 422 },
    ],
  },
];
