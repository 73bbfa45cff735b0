/**
 * Schedules of six fields: what is parsed or rejected, and their instants, compared with an independent parser and,
 * around changes of daylight saving time, with a scan of every second.
 */
import { expect } from 'chai';
import { CronExpressionParser } from 'cron-parser';
import { readCron, type Cron } from '../../../language/strings/cron.js';
import { listNextInstants, createTimetable } from '../../../language/strings/cron-next.js';
import { describeCron } from '../../../language/strings/cron-describe.js';
import { isZone, createLocalClock, listZoneNames } from '../../../language/strings/zone.js';
import { fc } from '../../support/properties.js';
import { countRuns } from '../../support/sample.js';

const read = (text: string): Cron => {
  const { cron, flaws } = readCron(text);
  if (cron === null) throw new Error(`${text}: ${flaws.map(({ what }) => what).join('; ')}`);
  return cron;
};
const iso = (instants: readonly number[]): string[] => instants.map((instant) => new Date(instant).toISOString());
const list = (text: string, zone: string, after: string, count: number): string[] =>
  iso(listNextInstants(read(text), zone, Date.parse(after), count)).map((text) => text.replace('.000Z', 'Z'));

/** A field as people write it, out of values in a range. */
const field = (min: number, max: number): fc.Arbitrary<string> => {
  const one = fc.integer({ min, max });
  const range = fc.tuple(one, one).map((ends) => `${Math.min(...ends)}-${Math.max(...ends)}`);
  const step = fc.integer({ min: 1, max: max - min }).map((n) => `*/${n}`);
  // The other parser rejects a repeated value.
  const several = fc.uniqueArray(one, { minLength: 1, maxLength: 3 }).map((items) => items.join(','));
  return fc.oneof({ weight: 2, arbitrary: fc.constant('*') }, several, range, step);
};
const expression = fc
  .tuple(field(0, 59), field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6))
  .map((fields) => fields.join(' '));
const instant = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2039, 0, 1) });

describe('schedules of six fields', () => {
  it('match an independent implementation, in UTC and in zones without daylight saving time', () => {
    const zone = fc.constantFrom('UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Tokyo', 'America/Phoenix');
    fc.assert(
      fc.property(expression, zone, instant, (text, tz, from) => {
        const other = CronExpressionParser.parse(text, { currentDate: new Date(from), tz });
        const theirs = Array.from({ length: 3 }, () => other.next().toDate().getTime());
        expect(iso(listNextInstants(read(text), tz, from, 3))).to.deep.equal(iso(theirs));
      }),
      { numRuns: countRuns('strings', 60, 300) },
    );
  });

  it('match a scan second by second, around every change of daylight saving time', () => {
    const moments: readonly (readonly [string, string])[] = [
      ['Europe/Berlin', '2025-03-30T01:00:00Z'],
      ['Europe/Berlin', '2025-10-26T01:00:00Z'],
      ['America/New_York', '2025-11-02T06:00:00Z'],
      ['Australia/Lord_Howe', '2025-04-05T15:00:00Z'],
      ['Australia/Lord_Howe', '2025-10-04T15:30:00Z'],
      ['Pacific/Apia', '2011-12-30T10:00:00Z'],
      ['Asia/Gaza', '2025-04-12T00:00:00Z'],
    ];
    const minutes = fc.tuple(fc.constant('0'), field(0, 59), field(0, 23)).map((fields) => `${fields.join(' ')} * * *`);
    fc.assert(
      fc.property(fc.constantFrom(...moments), minutes, ([zone, moment], text) => {
        const from = Date.parse(moment) - 3 * 3_600_000;
        const to = from + 6 * 3_600_000;
        const wanted = lookedAt(read(text), zone, from, to);
        const { next } = createTimetable(read(text), zone);
        const found: number[] = [];
        for (let at = next(from); at !== null && at <= to; at = next(at)) found.push(at);
        expect(iso(found), `${text} ${zone}`).to.deep.equal(iso(wanted));
      }),
      { numRuns: countRuns('strings', 20, 150) },
    );
  });

  it('have a last instant before a moment, equal to that of iterating', () => {
    fc.assert(
      fc.property(expression, instant, fc.integer({ min: 0, max: 200_000 }), (text, after, span) => {
        const { next, latest } = createTimetable(read(text), 'Europe/Paris');
        let last: number | null = null;
        for (let at = next(after), n = 0; at !== null && at <= after + span && n < 300; at = next(at), n++) last = at;
        if (last !== null && (next(last) ?? Infinity) <= after + span) return;
        expect(latest(after, after + span)).to.equal(last);
      }),
      { numRuns: countRuns('strings', 60, 200) },
    );
  });

  it('run once in a repeated hour if the hour is fixed, and each time if it is an interval', () => {
    expect(list('0 30 2 * * *', 'Europe/Berlin', '2025-10-25T20:00:00Z', 2)).to.deep.equal([
      '2025-10-26T00:30:00Z',
      '2025-10-27T01:30:00Z',
    ]);
    expect(list('0 30 * * * *', 'Europe/Berlin', '2025-10-26T00:00:00Z', 3)).to.deep.equal([
      '2025-10-26T00:30:00Z',
      '2025-10-26T01:30:00Z',
      '2025-10-26T02:30:00Z',
    ]);
  });

  it('run after a skipped hour if the hour is fixed, and continue if it is an interval', () => {
    expect(list('0 0,30 2 * * *', 'Europe/Berlin', '2025-03-29T12:00:00Z', 2)).to.deep.equal([
      '2025-03-30T01:00:00Z',
      '2025-03-31T00:00:00Z',
    ]);
    expect(list('0 30 * * * *', 'Europe/Berlin', '2025-03-30T00:00:00Z', 2)).to.deep.equal([
      '2025-03-30T00:30:00Z',
      '2025-03-30T01:30:00Z',
    ]);
  });

  it('find 29 February, up to eight years ahead', () => {
    expect(list('0 0 0 29 2 *', 'UTC', '2096-03-01T00:00:00Z', 1)).to.deep.equal(['2104-02-29T00:00:00Z']);
    expect(list('0 0 12 29 FEB ?', 'UTC', '2025-01-01T00:00:00Z', 2)).to.deep.equal([
      '2028-02-29T12:00:00Z',
      '2032-02-29T12:00:00Z',
    ]);
  });

  it('match days of the month or days of the week, if both are given', () => {
    expect(list('0 0 0 13 * FRI', 'UTC', '2025-06-10T00:00:00Z', 3)).to.deep.equal([
      '2025-06-13T00:00:00Z',
      '2025-06-20T00:00:00Z',
      '2025-06-27T00:00:00Z',
    ]);
  });

  it('accept names in any case, Sunday as 0 and 7, and weeks that end with Sunday', () => {
    expect(read('0 0 0 ? jan-Mar sat-SUN').weekdays).to.deep.equal([0, 6]);
    expect(read('0 0 0 * * 5-7').weekdays).to.deep.equal([0, 5, 6]);
    expect(read('0 0 0 * * 0-0').weekdays).to.deep.equal([0]);
    expect(read('0 0 0 * * SUN-MON').weekdays).to.deep.equal([0, 1]);
    expect(read('0 0 0 * * 7')).to.deep.include({ weekdays: [0], anyWeekday: false });
    expect(read('0 0 0 ? jan-Mar *').months).to.deep.equal([1, 2, 3]);
  });

  const ISSUES: readonly (readonly [string, string, string, string?])[] = [
    ['*/5 * * * *', '*/5 * * * *', 'has 5 fields; a schedule has six, seconds first', '0 */5 * * * *'],
    ['@daily', '@daily', 'is a word, not six fields', '0 0 0 * * *'],
    ['0 0 0 * * ? *', '0 0 0 * * ? *', 'has 7 fields; a schedule has six, seconds first', '0 0 0 * * ?'],
    ['0 0 0 1 1 ? 2030', '0 0 0 1 1 ? 2030', 'has 7 fields; a schedule has six, seconds first'],
    ['hourly', 'hourly', 'is a word, not six fields', '0 0 * * * *'],
    ['@every 90s', '@every 90s', 'is words, not six fields'],
    ['every 5 minutes', 'every 5 minutes', 'is words, not six fields', '0 */5 * * * *'],
    ['every 7 minutes', 'every 7 minutes', 'is words, not six fields'],
    ['300s', '300s', 'is a word, not six fields', '0 */5 * * * *'],
    ['every day at 3pm', 'every day at 3pm', 'is words, not six fields', '0 0 15 * * *'],
    ['weekdays at 9:30', 'weekdays at 9:30', 'is words, not six fields', '0 30 9 * * 1-5'],
    ['every day at 25', 'every day at 25', 'is words, not six fields'],
    ['0 0 3, 15 * * *', '0 0 3, 15 * * *', 'has 7 fields; a schedule has six, seconds first', '0 0 3,15 * * *'],
    ['$ENV.WHEN', '$ENV.WHEN', 'is the same wherever this runs: no accessor stands in it, and no variable'],
    ['? * * * * *', '?', 'cannot be "?"', '* * * * * *'],
    ['0 0 22-2 * * *', '22-2', 'runs backwards in "22-2"', '0 0 22-23,0-2 * * *'],
    ['0 0 0 * * FRI-MON', 'FRI-MON', 'runs backwards in "FRI-MON"', '0 0 0 * * FRI-SAT,SUN-MON'],
    ['0 */90 * * * *', '*/90', 'has the step "90": one of 1 to 59 is meant'],
    ['0 0 0 31 FEB *', '31 FEB', 'never comes: day 31 is in none of these months'],
    ['0 0 0 30,31 2 ?', '30,31 2', 'never comes: day 30 is in none of these months'],
  ];
  for (const [text, wrong, what, right] of ISSUES) {
    it(`reject "${text}"`, () => {
      const [issue] = readCron(text).flaws ?? [];
      expect(issue).to.include({ what });
      expect(text.slice(issue?.start, issue?.end)).to.equal(wrong);
      const fixed = issue?.right && text.slice(0, issue.start) + issue.right + text.slice(issue.end);
      expect(fixed).to.equal(right);
      if (right !== undefined) expect(readCron(right).cron).not.to.equal(null);
    });
  }

  it('reject values outside a field, and extensions of other implementations, with the field', () => {
    for (const [text, name] of [
      ['60 * * * * *', 'second'],
      ['0 0 24 * * *', 'hour'],
      ['0 0 0 0 * *', 'day of the month'],
      ['0 0 0 L * *', 'day of the month'],
      ['0 0 0 * 13 *', 'month'],
      ['0 0 0 * * 8', 'day of the week'],
      ['0 0 0 * * MON#1', 'day of the week'],
      ['0 H * * * *', 'minute'],
      ['0 1,, * * * *', 'minute'],
      ['0 -5 * * * *', 'minute'],
    ] as const) {
      const { flaws = [] } = readCron(text);
      expect(flaws.map((issue) => issue.field)).to.deep.equal([name]);
    }
  });

  it('never throw, whatever the text is', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), expression), (text) => void readCron(text)));
  });
});

describe('descriptions of schedules', () => {
  const WORDS: readonly (readonly [string, string])[] = [
    ['* * * * * *', 'every second (UTC)'],
    ['*/5 * * * * *', 'every 5 seconds (UTC)'],
    ['0 * * * * *', 'every minute (UTC)'],
    ['0 */5 * * * *', 'every 5 minutes (UTC)'],
    ['0 0 * * * *', 'in minute 0 of every hour (UTC)'],
    ['0 30 * * * *', 'in minute 30 of every hour (UTC)'],
    ['0 0 */2 * * *', 'in minute 0 every 2 hours (UTC)'],
    ['0 0 3 * * *', 'at 03:00 (UTC)'],
    ['15 0,30 3,15 * * *', 'at 03:00:15, 03:30:15, 15:00:15 and 15:30:15 (UTC)'],
    ['0 0 9 ? * MON-FRI', 'at 09:00, on Monday to Friday (UTC)'],
    ['0 0 0 1,15 * *', 'at 00:00, on day 1 and 15 of the month (UTC)'],
    ['0 0 0 13 6-8 FRI', 'at 00:00, on day 13 of the month or on Friday, in June to August (UTC)'],
    ['0 */10 9-17 * * *', 'every 10 minutes in hour 9 to 17 (UTC)'],
    ['* 5 * * * *', 'every second in minute 5 of every hour (UTC)'],
  ];
  for (const [text, words] of WORDS) {
    it(`"${text}"`, () => {
      expect(describeCron(read(text))).to.equal(words);
    });
  }

  it('contain the zone, and are never empty', () => {
    expect(describeCron(read('0 0 3 * * *'), 'Asia/Tokyo')).to.equal('at 03:00 (Asia/Tokyo)');
    fc.assert(
      fc.property(expression, (text) => {
        expect(describeCron(read(text))).to.match(/^(at|every|in) \S.* \(UTC\)$/);
      }),
    );
  });
});

describe('time zones', () => {
  it('are accepted by name', () => {
    for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Ushuaia', 'Asia/Calcutta', 'Etc/GMT+5', 'CET'])
      expect(isZone(name), name).to.equal(true);
    expect(listZoneNames()).to.include.members(['UTC', 'Europe/Berlin']);
  });

  it('are not ambiguous abbreviations, offsets or unknown places', () => {
    for (const name of ['PST', 'IST', '+02:00', 'Europe/Berlinn', '', 'Z', '../etc/passwd', 'local'])
      expect(isZone(name), name).to.equal(false);
  });

  it('have clocks with milliseconds, also before 1970', () => {
    expect(new Date(createLocalClock('Asia/Tokyo')(-1)).toISOString()).to.equal('1970-01-01T08:59:59.999Z');
  });
});

/** Every minute of a period: the local time, and whether it occurred before. */
function lookedAt(cron: Cron, zone: string, from: number, to: number): number[] {
  const wall = createLocalClock(zone);
  const matches = (shown: number): boolean => {
    const date = new Date(shown);
    return cron.minutes.includes(date.getUTCMinutes()) && cron.hours.includes(date.getUTCHours());
  };
  const found: number[] = [];
  let furthest = wall(from);
  for (let at = Math.floor(from / 60_000) * 60_000 + 60_000; at <= to; at += 60_000) {
    const shown = wall(at);
    const isNew = shown > furthest;
    // The skipped minutes, one by one.
    const left: number[] = [];
    for (let gone = furthest + 60_000; gone < shown; gone += 60_000) left.push(gone);
    if (cron.runsInRepeatedHour ? matches(shown) : isNew && (matches(shown) || left.some(matches))) found.push(at);
    furthest = Math.max(furthest, shown);
  }
  return found;
}
