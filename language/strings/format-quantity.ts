/** Formats numbers in larger units (`86400` seconds are a day), only if the conversion is exact. */

interface Scale {
  /** In descending order. */
  readonly steps: readonly (readonly [size: number, name: string])[];
  readonly plural: boolean;
  /** The maximum number of units: `1 hour 30 minutes` has two. */
  readonly parts: number;
}

const TIME = { day: 86_400, hour: 3600, minute: 60, second: 1 } as const;
const createTimeScale = (unit: number): Scale => ({
  steps: [...Object.entries(TIME), ['millisecond', 0.001] as const].map(([name, size]) => [size / unit, name] as const),
  plural: true,
  parts: 2,
});
const SIZES: readonly (readonly [number, string])[] = [
  [1024 ** 4, 'TiB'],
  [1e12, 'TB'],
  [1024 ** 3, 'GiB'],
  [1e9, 'GB'],
  [1024 ** 2, 'MiB'],
  [1e6, 'MB'],
  [1024, 'KiB'],
  [1e3, 'kB'],
];
const createSizeScale = (unit: number): Scale => ({
  steps: SIZES.map(([size, name]) => [size / unit, name] as const),
  plural: false,
  parts: 1,
});

const SCALES: Readonly<Record<string, Scale>> = {
  seconds: createTimeScale(1),
  milliseconds: createTimeScale(0.001),
  bytes: createSizeScale(1),
  KiB: createSizeScale(1024),
};

/** Null if the result equals the number with its unit. */
export function formatLargerUnits(value: number, unit: string): string | null {
  const scale = Object.hasOwn(SCALES, unit) ? SCALES[unit] : undefined;
  if (scale === undefined || !Number.isFinite(value) || value <= 0) return null;
  const words = scale.parts === 1 ? formatSize(value, scale) : formatTime(value, scale);
  return words === null || words === formatWithUnit(value, unit) ? null : words;
}

/** `1 second`, `30 seconds`, `5 MiB`. */
export const formatWithUnit = (value: number, unit: string): string =>
  `${value} ${value === 1 ? unit.replace(/([a-z])s$/, '$1') : unit}`;

/** At most one decimal. */
function formatSize(value: number, { steps }: Scale): string | null {
  for (const [size, name] of steps) {
    const tenths = (value / size) * 10;
    if (size > 1 && tenths >= 10 && Number.isInteger(tenths)) return `${tenths / 10} ${name}`;
  }
  return null;
}

function formatTime(value: number, { steps, parts }: Scale): string | null {
  const found: string[] = [];
  let rest = value;
  for (const [size, name] of steps) {
    // The tolerance compensates for rounding errors of the division.
    const count = Math.floor(rest / size + 1e-9);
    if (count === 0) continue;
    found.push(`${count} ${name}${count === 1 ? '' : 's'}`);
    rest = Math.round((rest - count * size) * 1e6) / 1e6;
  }
  return rest === 0 && found.length > 0 && found.length <= parts ? found.join(' ') : null;
}
