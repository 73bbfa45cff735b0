/**
 * The layout of a plan diagram in pixels: bands in execution order, parallel actionables side by side, data flow on
 * the left.
 */
import type { Plan, PlanAction, PlanGroup } from './plan-json.js';
import {
  addMarks,
  describeActionBox,
  describeAnswerBox,
  describeRequestBox,
  describeStepBox,
  type FlowMarks,
  type ResourceInterface,
  type BoxLine,
  type BoxText,
} from './plan-texts.js';

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
export interface Band extends Area {
  readonly title: string;
}
export interface Frame extends Area {
  readonly title: string;
  readonly look: 'unit' | 'parallel';
}
export interface Box extends Area {
  /** Key of the actionable; null for other boxes. */
  readonly key: string | null;
  readonly look: 'action' | 'needed' | 'main' | 'step';
  readonly title: string;
  readonly tags: string;
  readonly lines: readonly BoxLine[];
  readonly whole: string;
}
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Truncated label; empty when the target only waits for the source. */
  readonly label: string;
  readonly labelAt: readonly [x: number, y: number];
  readonly whole: string;
}
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly bands: readonly Band[];
  readonly frames: readonly Frame[];
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

export const SIZE = {
  box: 340,
  gap: 18,
  pad: 14,
  title: 24,
  line: 17,
  /** Vertical distance between two arrow ends at one box. */
  port: 18,
  lane: 12,
  /** Width reserved for labels on arrows. */
  label: 128,
  /** Width of a character, rounded up. */
  character: 7.1,
  perRow: 3,
} as const;

interface Row {
  readonly actions: readonly PlanAction[];
}
interface ActionBox {
  readonly action: PlanAction;
  readonly box: Area;
  /** The box shares its row, so arrows enter from above and leave below. */
  readonly beside: boolean;
}

/** Truncates `text` to the width in pixels. */
export const truncateText = (text: string, width: number): string => {
  const most = Math.max(Math.floor(width / SIZE.character), 1);
  return text.length <= most ? text : `${text.slice(0, Math.max(most - 1, 0))}…`;
};

/** `marks`: of a value that is followed. */
export function computeLayout(plan: Plan, about: ResourceInterface | null = null, marks: FlowMarks = {}): Layout {
  const all = [...plan.groups, ...plan.apart.flatMap(({ groups }) => groups)].flatMap(({ actions }) => actions);
  const known = new Set(all.map(({ key }) => key));
  const listSources = (action: PlanAction): string[] => Object.keys(action.needs).filter((key) => known.has(key));
  const isSource = new Set(all.flatMap(listSources));
  const lanes = assignLanes(all, listSources);
  const channel = lanes.count === 0 ? 0 : lanes.count * SIZE.lane + SIZE.label;
  const left = SIZE.pad * 2 + channel;
  const [bands, frames, boxes] = [[] as Band[], [] as Frame[], [] as Box[]];
  const placed = new Map<string, ActionBox>();
  const enters = new Map<string, number>();
  const leaves = new Map<string, number>();
  let y = SIZE.pad;
  let right = left + SIZE.box;

  const addBox = (words: BoxText, area: Area, key: string | null, look: Box['look']): void => {
    const inner = area.width - SIZE.pad * 2;
    const tags = truncateText(words.tags.join(' · '), inner / 2);
    boxes.push({
      ...area,
      key,
      look,
      tags,
      whole: words.whole,
      title: truncateText(words.title, inner - tags.length * SIZE.character - SIZE.pad),
      lines: words.lines.map(({ text, look: style }) => ({ text: truncateText(text, inner), look: style })),
    });
    right = Math.max(right, area.x + area.width);
  };
  const computeHeight = (words: BoxText, ends: number): number =>
    Math.max(SIZE.title + words.lines.length * SIZE.line + SIZE.pad, (ends + 1) * SIZE.port + SIZE.pad / 2);

  const addStep = (words: BoxText): void => {
    const height = computeHeight(words, 0);
    addBox(words, { x: left, y, width: SIZE.box, height }, null, 'step');
    y += height + SIZE.gap;
  };

  const addRow = ({ actions }: Row): void => {
    const beside = actions.length > 1;
    // Arrows into boxes of a shared row come through the gap above them.
    if (beside) {
      for (const action of actions)
        for (const from of listSources(action)) {
          y += SIZE.port;
          enters.set(`${from}\n${action.key}`, y);
        }
      if (actions.some((action) => listSources(action).length > 0)) y += SIZE.gap;
    }
    const worded = actions.map((action) => ({
      action,
      words: addMarks(describeActionBox(action, plan), marks[action.key]),
    }));
    const countArrowEnds = (action: PlanAction): number =>
      beside ? 0 : listSources(action).length + (isSource.has(action.key) ? 1 : 0);
    const height = Math.max(...worded.map(({ action, words }) => computeHeight(words, countArrowEnds(action))));
    worded.forEach(({ action, words }, i) => {
      const area = { x: left + i * (SIZE.box + SIZE.gap), y, width: SIZE.box, height };
      placed.set(action.key, { action, box: area, beside });
      const look = action.key === plan.main ? 'main' : action.whenNeeded ? 'needed' : 'action';
      addBox(words, area, action.key, look);
    });
    y += height;
    if (beside)
      for (const { key } of actions) {
        if (!isSource.has(key)) continue;
        y += SIZE.port;
        leaves.set(key, y);
      }
    y += SIZE.gap;
  };

  const addGroup = ({ together, actions }: PlanGroup): void => {
    const parallel = together === 'at once';
    const framed = together !== null;
    const top = y;
    if (framed) y += SIZE.title + SIZE.gap / 2;
    const per = parallel ? SIZE.perRow : 1;
    let widest: number = SIZE.box;
    for (let at = 0; at < actions.length; at += per) {
      const some = actions.slice(at, at + per);
      widest = Math.max(widest, some.length * (SIZE.box + SIZE.gap) - SIZE.gap);
      addRow({ actions: some });
    }
    if (!framed) return;
    const width = widest + SIZE.pad * 2;
    frames.push({
      x: left - SIZE.pad,
      y: top,
      width,
      height: y - top,
      title: truncateText(parallel ? 'at the same time' : together, width - SIZE.pad * 2),
      look: parallel ? 'parallel' : 'unit',
    });
    right = Math.max(right, left + widest + SIZE.pad);
    y += SIZE.gap;
  };

  const addBand = (title: string, fill: () => void): void => {
    const top = y;
    y += SIZE.title + SIZE.gap / 2;
    fill();
    bands.push({ title, x: 0, y: top, width: 0, height: y - top });
  };

  addBand('Request', () => addStep(describeRequestBox(plan, about)));
  if (plan.check.length > 0) addBand('Checks', () => addStep(describeStepBox('before any work', plan.check)));
  if (plan.groups.length > 0) addBand('Work', () => plan.groups.forEach(addGroup));
  addBand('Answer', () => addStep(addMarks(describeAnswerBox(plan, about), marks[plan.id])));
  if (plan.settle.length > 0)
    addBand('Afterwards', () => addStep(describeStepBox('once the answer is known', plan.settle)));
  for (const { begins, facts, groups } of plan.apart) {
    const title = [begins.charAt(0).toUpperCase() + begins.slice(1), ...facts].join(' · ');
    addBand(title, () => groups.forEach(addGroup));
  }

  const width = right + SIZE.pad * 2;
  const ends = computeArrowEnds(placed, listSources, isSource);
  return {
    width,
    height: y + SIZE.pad,
    bands: bands.map((one) => ({ ...one, width, title: truncateText(one.title, width - SIZE.pad * 2) })),
    frames,
    boxes,
    arrows: all.flatMap((action) =>
      listSources(action).flatMap(
        (from) => createArrow({ from, action, placed, lanes, left, enters, leaves, ends }) ?? [],
      ),
    ),
  };
}

interface Lanes {
  readonly count: number;
  readonly of: ReadonlyMap<string, number>;
}

/** From the box of a source to its last target; free lanes are reused. */
function assignLanes(all: readonly PlanAction[], incoming: (action: PlanAction) => readonly string[]): Lanes {
  const last = new Map<string, number>();
  all.forEach((action, at) => incoming(action).forEach((key) => last.set(key, at)));
  const free: number[] = [];
  const found = new Map<string, number>();
  all.forEach(({ key }, at) => {
    const end = last.get(key);
    if (end === undefined) return;
    const lane = free.findIndex((until) => until < at);
    const mine = lane === -1 ? free.length : lane;
    free[mine] = Math.max(end, at);
    found.set(key, mine);
  });
  return { count: free.length, of: found };
}

/** Heights at which arrows meet the left edge of a box alone in its row. */
function computeArrowEnds(
  placed: ReadonlyMap<string, ActionBox>,
  incoming: (action: PlanAction) => readonly string[],
  isSource: ReadonlySet<string>,
) {
  const enter = new Map<string, number>();
  const leave = new Map<string, number>();
  for (const [key, { action, box, beside }] of placed) {
    if (beside) continue;
    incoming(action).forEach((from, i) => enter.set(`${from}\n${key}`, box.y + (i + 1) * SIZE.port));
    if (isSource.has(key)) leave.set(key, box.y + box.height - SIZE.pad / 2);
  }
  return { enter, leave };
}

interface ArrowInput {
  readonly from: string;
  readonly action: PlanAction;
  readonly placed: ReadonlyMap<string, ActionBox>;
  readonly lanes: Lanes;
  readonly left: number;
  readonly enters: ReadonlyMap<string, number>;
  readonly leaves: ReadonlyMap<string, number>;
  readonly ends: ReturnType<typeof computeArrowEnds>;
}

function createArrow({ from, action, placed, lanes, left, enters, leaves, ends }: ArrowInput): Arrow | null {
  const [source, target] = [placed.get(from), placed.get(action.key)];
  if (source === undefined || target === undefined) return null;
  const lane = left - SIZE.pad - SIZE.label - ((lanes.of.get(from) ?? 0) + 0.5) * SIZE.lane;
  const name = `${from}\n${action.key}`;
  const out = leaves.get(from) ?? ends.leave.get(from) ?? 0;
  const into = enters.get(name) ?? ends.enter.get(name) ?? 0;
  const under = source.box.x + source.box.width / 2;
  const begin: (readonly [number, number])[] = source.beside
    ? [
        [under, source.box.y + source.box.height],
        [under, out],
      ]
    : [[source.box.x, out]];
  const at = Object.keys(action.needs).indexOf(from) + 1;
  const over = target.box.x + Math.min(at * SIZE.port, target.box.width - SIZE.pad);
  const end: (readonly [number, number])[] = target.beside
    ? [
        [over, into],
        [over, target.box.y],
      ]
    : [[target.box.x, into]];
  const names = action.needs[from]?.join(', ') ?? '';
  return {
    from,
    to: action.key,
    points: [...begin, [lane, out], [lane, into], ...end],
    label: names === '' ? '' : truncateText(names, SIZE.label - SIZE.pad),
    labelAt: [left - SIZE.pad - SIZE.label + 4, into - 4],
    whole: `${from} ${names === '' ? 'comes first' : `gives ${names}`}`,
  };
}
