/**
 * The diagram of a plan: read from the output of `lintel plan`, laid out without overlaps, drawn as well-formed SVG for
 * any definition. The plans are those of the compiler's fixtures, and large ones created here.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPlan, type Plan } from '../../extension/src/panels/plan-json.js';
import { truncateText, computeLayout, SIZE, type Area, type Layout } from '../../extension/src/panels/plan-layout.js';
import { renderSvg } from '../../extension/src/panels/plan-svg.js';
import type { ResourceInterface } from '../../extension/src/panels/plan-texts.js';
import { listCaseNames } from '../support/fixtures.js';
import { ROOT } from '../support/project.js';

const PLANS = join(ROOT, 'test', 'fixtures', 'plans');

const parsePlan = (json: object): Plan => {
  const plan = readPlan(JSON.stringify({ id: 'a', path: 'a', run: [], ...json }));
  if (plan === null) throw new Error('this is no plan');
  return plan;
};

const fixtures = listCaseNames(PLANS).flatMap((name) =>
  Object.entries(
    JSON.parse(readFileSync(join(PLANS, name, 'plan.json'), 'utf8')) as Record<string, { describe: object }>,
  ).map(([id, { describe }]) => [`${name} ${id}`, parsePlan(describe)] as const),
);

const action = (n: number, more: object = {}): object => ({
  key: `a#${n}`,
  mode: 'QUERY',
  line: n * 10,
  execute: { connection: 'main', sql: `SELECT ${'column_with_a_long_name, '.repeat(9)}\n  FROM t${n}` },
  before: ['depends_on'],
  after: ['must_return_value'],
  tables: ['users', 'orders'],
  ...more,
});

/** 30 actionables in transactions, at once and alone, each with values of several others. */
const LARGE = parsePlan({
  admit: ['rate_limit', 'protected'],
  check: ['payload_validation'],
  main: 'a#30',
  reply: ['returnables'],
  run: [
    { together: 'transaction on main', actions: Array.from({ length: 12 }, (_, i) => action(i + 1, needs(i + 1))) },
    { together: 'at once', actions: Array.from({ length: 10 }, (_, i) => action(i + 13, needs(i + 13))) },
    ...Array.from({ length: 8 }, (_, i) => ({ together: null, actions: [action(i + 23, needs(i + 23))] })),
  ],
  apart: [
    {
      part: 'a#31',
      begins: 'by the clock',
      schedule: '0 3 * * *',
      zone: 'UTC',
      run: [{ together: null, actions: [action(31)] }],
    },
  ],
});

function needs(n: number): object {
  const from = n > 12 && n < 23 ? [3, 9] : [n - 1, n - 5, 2].filter((one) => one > 0 && one < n);
  return {
    needs: Object.fromEntries(from.map((one) => [`a#${one}`, [`value_of_${one}`, 'another_name_that_is_long']])),
  };
}

const ABOUT: ResourceInterface = {
  methods: ['POST'],
  ways: [[{ name: 'bearer', header: 'Authorization', prefix: 'Bearer ', doc: '' }]],
  answers: { list: true, names: ['id', 'token'] },
  accepted: false,
  events: [{ action: 'changed', to: 'ROOM' }],
  secrets: ['password', 'pin'],
};

const overlap = (a: Area, b: Area): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
const holds = (outer: Area, inner: Area): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

function checkLayout({ boxes, arrows, frames, bands, width, height }: Layout): void {
  const paper = { x: 0, y: 0, width, height };
  for (const area of [...boxes, ...frames, ...bands]) expect(holds(paper, area), JSON.stringify(area)).to.equal(true);
  boxes.forEach((box, i) => {
    for (const other of boxes.slice(i + 1))
      expect(overlap(box, other), `${box.title} and ${other.title}`).to.equal(false);
    expect(
      bands.filter((band) => holds(band, box)),
      box.title,
    ).to.have.lengthOf(1);
    for (const frame of frames) expect(overlap(frame, box), box.title).to.equal(holds(frame, box));
    for (const { text } of box.lines) expect(text.length * SIZE.character).to.be.at.most(box.width);
    expect((box.title.length + box.tags.length) * SIZE.character).to.be.at.most(box.width);
    expect(box.height).to.be.at.least(SIZE.title + box.lines.length * SIZE.line);
  });
  const labels: Area[] = [];
  for (const { from, to, points, label, labelAt } of arrows) {
    const [source, target] = [from, to].map((key) => boxes.find((box) => box.key === key));
    expect(onEdge(source, points[0]), `${from} -> ${to} leaves its box`).to.equal(true);
    expect(onEdge(target, points.at(-1)), `${from} -> ${to} meets its box`).to.equal(true);
    points.slice(1).forEach((point, i) => {
      const before = points[i] ?? point;
      expect(before[0] === point[0] || before[1] === point[1], 'arrows have right angles').to.equal(true);
      const line = {
        x: Math.min(before[0], point[0]),
        y: Math.min(before[1], point[1]),
        width: Math.abs(before[0] - point[0]),
        height: Math.abs(before[1] - point[1]),
      };
      for (const box of boxes) expect(crosses(line, box), `${from} -> ${to} through ${box.title}`).to.equal(false);
    });
    if (label === '') continue;
    const area = { x: labelAt[0], y: labelAt[1] - 11, width: label.length * SIZE.character, height: 12 };
    for (const other of [...labels, ...boxes]) expect(overlap(area, other), `label ${label}`).to.equal(false);
    labels.push(area);
  }
  // Two that flow side by side do not share a line.
  const trunks = arrows.map(({ from, points }) => ({
    from,
    points: points.filter(([x]) => boxes.every((box) => x < box.x)),
  }));
  for (const one of trunks)
    for (const other of trunks) {
      if (one.from === other.from || one.points[0]?.[0] !== other.points[0]?.[0]) continue;
      const [[a, b], [c, d]] = [one, other].map(({ points }) => points.map(([, y]) => y).sort((p, q) => p - q)) as [
        number[],
        number[],
      ];
      expect(b! <= c! || d! <= a!, `${one.from} and ${other.from} share a lane`).to.equal(true);
    }
}

const onEdge = (box: Area | undefined, [x, y]: readonly [number, number] | readonly number[] = []): boolean =>
  box !== undefined &&
  x !== undefined &&
  y !== undefined &&
  x >= box.x &&
  x <= box.x + box.width &&
  y >= box.y &&
  y <= box.y + box.height &&
  (x === box.x || y === box.y || y === box.y + box.height);

/** Through the inside; along the edge is no crossing. */
const crosses = (line: Area, box: Area): boolean =>
  line.x < box.x + box.width &&
  line.x + line.width > box.x &&
  line.y < box.y + box.height &&
  line.y + line.height > box.y &&
  (line.width > 0 ? line.y > box.y : line.x > box.x);

describe('extension: plan diagram', () => {
  for (const [name, plan] of fixtures) it(`of ${name}`, () => checkLayout(computeLayout(plan)));

  it('marks a traced value in the boxes of its actionables and of the response', () => {
    const plan = parsePlan({ main: 'a#1', run: [{ together: null, actions: [action(1), action(2)] }] });
    const marks = { 'a#1': ['_user.email: written by'], a: ['_user.email: answered by'] };
    const { boxes } = computeLayout(plan, ABOUT, marks);
    const marked = boxes.flatMap(({ key, lines }) =>
      lines.flatMap(({ text, look }) => (look === 'flow' ? [`${key ?? 'box'}: ${text}`] : [])),
    );
    expect(marked).to.deep.equal(['a#1: _user.email: written by', 'box: _user.email: answered by']);
    expect(renderSvg(computeLayout(plan, ABOUT, marks))).to.include('line flow');
  });

  it('shows 30 actionables, with names that are too long', () => {
    const layout = computeLayout(LARGE, ABOUT);
    checkLayout(layout);
    expect(layout.boxes.filter(({ key }) => key !== null)).to.have.lengthOf(31);
    expect(layout.arrows.length).to.be.greaterThan(60);
    expect(layout.width).to.be.lessThan(1600);
    expect(layout.arrows[0]?.label).to.match(/…$/);
  });

  it('places parallel actionables side by side, and those of one transaction below one another', () => {
    const { boxes, frames } = computeLayout(LARGE);
    const rows = (keys: readonly number[]) =>
      new Set(keys.map((n) => boxes.find(({ key }) => key === `a#${n}`)!.y)).size;
    expect(rows([13, 14, 15])).to.equal(1);
    expect(rows([1, 2, 3])).to.equal(3);
    expect(frames.map(({ title }) => title)).to.deep.equal(['transaction on main', 'at the same time']);
  });

  it('shows the returned and omitted fields, the reports, the allowed callers, and the responses', () => {
    const { boxes, bands } = computeLayout(LARGE, ABOUT);
    const whole = boxes.map((box) => box.whole).join('\n');
    expect(whole).to.contain('leaves: a list of id, token').and.contain('tells ROOM: changed');
    expect(whole).to.contain('kept back unless listed: password, pin').and.contain('shows Authorization: Bearer');
    expect(boxes.find(({ look }) => look === 'main')?.key).to.equal('a#30');
    expect(bands.map(({ title }) => title)).to.deep.equal([
      'Request',
      'Checks',
      'Work',
      'Answer',
      'By the clock · schedule 0 3 * * * · zone UTC',
    ]);
  });

  it('labels arrows with the names that flow', () => {
    const plan = parsePlan({
      run: [
        { together: null, actions: [action(1)] },
        { together: null, actions: [action(2, { needs: { 'a#1': ['balance'] } })] },
      ],
    });
    expect(computeLayout(plan).arrows.map(({ from, to, label, whole }) => [from, to, label, whole])).to.deep.equal([
      ['a#1', 'a#2', 'balance', 'a#1 gives balance'],
    ]);
  });

  it('is well-formed SVG, whatever a definition contains', () => {
    const nasty = `<script>alert("x")</script> & ']]> \u0000\u0007 "`;
    const plan = parsePlan({
      path: nasty,
      run: [
        { together: nasty, actions: [{ key: `a#1${nasty}`, mode: nasty, execute: { sql: nasty }, tables: [nasty] }] },
      ],
    });
    for (const own of [false, true]) {
      const svg = renderSvg(computeLayout(plan), own);
      expect(svg).not.to.contain('<script').and.not.contain('\u0000');
      // Every tag that is opened is closed, and no quote ends an attribute early.
      const open: string[] = [];
      for (const [, close, tag = '', self] of svg.matchAll(/<(\/?)([a-z]+)(?:\s+[\w:-]+="[^"<]*")*\s*(\/?)>/gi)) {
        if (close === '/') expect(open.pop()).to.equal(tag);
        else if (self !== '/') open.push(tag);
      }
      expect(open).to.deep.equal([]);
      expect(svg.replace(/<\/?[a-z]+(?:\s+[\w:-]+="[^"<]*")*\s*\/?>/gi, '')).not.to.match(/[<>]/);
    }
  });

  it('is null for text that is no plan', () => {
    for (const text of ['', '{', '[]', 'null', '{"id": 1, "run": []}', '{"id": "a"}'])
      expect(readPlan(text)).to.equal(null);
    expect(
      computeLayout(parsePlan({ run: [null, 7, { actions: 'x' }, { actions: [null, {}] }] })).boxes.length,
    ).to.be.greaterThan(1);
  });

  it('is found after log lines of an older version', () => {
    const log = '{"level":40,"msg":"{"}\n';
    expect(readPlan(`${log}${JSON.stringify({ id: 'a', run: [] }, null, 2)}\n`)?.id).to.equal('a');
  });

  it('truncates texts at their end', () => {
    expect(truncateText('short', 100)).to.equal('short');
    expect(truncateText('x'.repeat(100), 71)).to.equal(`${'x'.repeat(9)}…`);
  });
});
