/**
 * Schedules in formats of other systems or in text: the six fields they mean, if certain. Also all values and names of
 * each field.
 */
import { expect } from 'chai';
import { convertSchedule } from '../../../language/strings/cron-convert.js';
import { readCron, type Cron } from '../../../language/strings/cron.js';
import { describeCron } from '../../../language/strings/cron-describe.js';

describe('suggestions for other forms of schedules', () => {
  const MEANT: readonly (readonly [text: string, right: string | undefined])[] = [
    ['@yearly', '0 0 0 1 1 *'],
    ['@annually', '0 0 0 1 1 *'],
    ['@monthly', '0 0 0 1 * *'],
    ['@weekly', '0 0 0 * * 0'],
    ['@daily', '0 0 0 * * *'],
    ['nightly', '0 0 0 * * *'],
    ['@midnight', '0 0 0 * * *'],
    [' @Hourly ', '0 0 * * * *'],
    ['minutely', '0 * * * * *'],
    ['@reboot', undefined],
    // Lengths that are a whole number of the next larger unit.
    ['every second', '* * * * * *'],
    ['1s', '* * * * * *'],
    ['every 15 sec', '*/15 * * * * *'],
    ['30 seconds', '*/30 * * * * *'],
    ['0s', undefined],
    ['59s', undefined],
    ['60s', '0 * * * * *'],
    ['90s', undefined],
    ['every minute', '0 * * * * *'],
    ['5m', '0 */5 * * * *'],
    ['@every 20min', '0 */20 * * * *'],
    ['45 minutes', undefined],
    ['60 minutes', '0 0 * * * *'],
    ['every hour', '0 0 * * * *'],
    ['6h', '0 0 */6 * * *'],
    ['every 2 hrs', '0 0 */2 * * *'],
    ['5 hours', undefined],
    ['24h', '0 0 0 * * *'],
    ['every day', '0 0 0 * * *'],
    ['1d', '0 0 0 * * *'],
    ['2 days', undefined],
    ['7 days', '0 0 0 * * 0'],
    ['every week', '0 0 0 * * 0'],
    ['1w', '0 0 0 * * 0'],
    ['2 weeks', undefined],
    ['every month', '0 0 0 1 * *'],
    ['2 months', undefined],
    ['99999s', undefined],
    ['100000s', undefined],
    ['every 5 years', undefined],
    // A single letter is no length without a number.
    ['s', undefined],
    ['every h', '0 0 * * * *'],
    // Times of day.
    ['every day at 3am', '0 0 3 * * *'],
    ['daily at 3', '0 0 3 * * *'],
    ['every night at 2:05', '0 5 2 * * *'],
    ['day at 12am', '0 0 0 * * *'],
    ['day @ 12pm', '0 0 12 * * *'],
    ['day at 1:30 pm', '0 30 13 * * *'],
    ['weekday at 17:00', '0 0 17 * * 1-5'],
    ['every weekdays at 9', '0 0 9 * * 1-5'],
    ['Sunday at 8', '0 0 8 * * 0'],
    ['mon at 8', '0 0 8 * * 1'],
    ['tuesdays at 8', '0 0 8 * * 2'],
    ['wednesday at 8', '0 0 8 * * 3'],
    ['thu at 8', '0 0 8 * * 4'],
    ['every friday at 8', '0 0 8 * * 5'],
    ['sat at 8', '0 0 8 * * 6'],
    ['someday at 8', undefined],
    ['mond at 8', undefined],
    ['at 8', undefined],
    // Fields of crontab, of systems with years, and lists with spaces.
    ['0 3 * * *', '0 0 3 * * *'],
    [' 0  3 * * 1 , 2 ', '0 0 3 * * 1,2'],
    ['0 0 3 * * * *', '0 0 3 * * *'],
    ['0 0 3 * * * ?', '0 0 3 * * *'],
    ['0 0 3 * * * 2030', undefined],
    ['0 0 3 * * * * *', undefined],
    ['0 3 * *', undefined],
    ['', undefined],
  ];
  for (const [text, right] of MEANT) {
    it(`${JSON.stringify(text)}: ${right ?? 'none'}`, () => {
      expect(readCron(text).flaws?.[0]?.right).to.equal(right);
    });
  }

  it('distinguish descriptions from fields', () => {
    const isWords = (text: string): boolean => convertSchedule(text).words;
    for (const text of ['@reboot', 'sometimes', 'every 7 minutes', '1h', 'now and then'])
      expect(isWords(text), text).to.equal(true);
    for (const text of ['* * * * *', '0 3 * * MON', 'ab', '@ab', 'ab * * * *', '5', ''])
      expect(isWords(text), text).to.equal(false);
  });
});

describe('fields of schedules', () => {
  const parseCron = (text: string): Cron | null => readCron(text).cron;

  const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
  const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
  it('accept every month and every day of the week by its three letters', () => {
    expect(MONTHS.map((name) => parseCron(`0 0 0 1 ${name} *`)?.months[0])).to.deep.equal(MONTHS.map((_, i) => i + 1));
    expect(DAYS.map((name) => parseCron(`0 0 0 * * ${name}`)?.weekdays[0])).to.deep.equal(DAYS.map((_, i) => i));
  });

  it('have the number of days that each month has', () => {
    const longest = MONTHS.map((name) =>
      [29, 30, 31].filter((day) => parseCron(`0 0 0 ${day} ${name} *`) !== null).at(-1),
    );
    expect(longest).to.deep.equal([31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
    // With a day of the week, the schedule has other days; a month that has the day is enough.
    expect(parseCron('0 0 0 31 FEB MON')).not.to.equal(null);
    expect(parseCron('0 0 0 31 FEB,MAR *')).not.to.equal(null);
    expect(parseCron('0 0 0 29,31 FEB *')).not.to.equal(null);
  });

  it('accept their minimum and their maximum', () => {
    expect(parseCron('0,59 0,59 0,23 1,31 1,12 0,7')).to.deep.equal({
      ...{ seconds: [0, 59], minutes: [0, 59], hours: [0, 23], days: [1, 31], months: [1, 12], weekdays: [0] },
      ...{ anyDay: false, anyWeekday: false, runsInRepeatedHour: false },
    });
    const every = (min: number, max: number): number[] => Array.from({ length: max - min + 1 }, (_, i) => min + i);
    expect(parseCron('* * * * * *')).to.deep.equal({
      ...{ seconds: every(0, 59), minutes: every(0, 59), hours: every(0, 23), days: every(1, 31) },
      ...{ months: every(1, 12), weekdays: every(0, 6), anyDay: true, anyWeekday: true, runsInRepeatedHour: true },
    });
  });

  const VALUES: readonly (readonly [text: string, field: keyof Cron, values: readonly number[]])[] = [
    ['*/20 * * * * *', 'seconds', [0, 20, 40]],
    ['50/5 * * * * *', 'seconds', [50, 55]],
    ['10-20/5 * * * * *', 'seconds', [10, 15, 20]],
    ['5,1,5,1-2 * * * * *', 'seconds', [1, 2, 5]],
    ['*/59 * * * * *', 'seconds', [0, 59]],
    ['0 0 */23 * * *', 'hours', [0, 23]],
    ['0 0 7-7 * * *', 'hours', [7]],
    ['0 0 0 */30 * *', 'days', [1, 31]],
    ['0 0 0 1 */11 *', 'months', [1, 12]],
    ['0 0 0 ? * 4/2', 'weekdays', [4, 6]],
    ['0 0 0 ? * */6', 'weekdays', [0, 6]],
    ['0 0 0 * * SAT-7', 'weekdays', [0, 6]],
  ];
  for (const [text, field, values] of VALUES) {
    it(`"${text}" has the ${field} ${values.join(', ')}`, () => expect(parseCron(text)?.[field]).to.deep.equal(values));
  }

  it('are steady if the hour is a wildcard or has a step', () => {
    const steady = ['0 0 * * * *', '0 0 */2 * * *', '0 0 8/2 * * *', '0 0 8 * * *', '0 0 8-10 * * *'];
    expect(steady.map((text) => parseCron(text)?.runsInRepeatedHour)).to.deep.equal([true, true, true, false, false]);
    expect(['?', '*', '*/1', '1'].map((day) => parseCron(`0 0 0 ${day} * *`)?.anyDay)).to.deep.equal([
      ...[true, true, false, false],
    ]);
  });

  const WRONG: readonly (readonly [text: string, right: string | undefined])[] = [
    ['60 * * * * *', '0'],
    ['61 * * * * *', undefined],
    ['0 60 * * * *', '0'],
    ['0 0 24 * * *', '0'],
    ['0 0 0 32 * *', undefined],
    ['0 0 0 0 * *', undefined],
    ['0 0 0 * 13 *', undefined],
    ['0 0 0 * * 8', undefined],
    ['0 0 0 ? January,4 *', 'JAN,4'],
    ['0 0 0 ? * Monday-Fri', 'MON-Fri'],
    ['0 0 0 ? * Thurs', 'THU'],
    ['0 0 0 ? * Mondays', undefined],
    ['0 0 0 ? Sept *', 'SEP'],
    ['0 0 0 ? * Tues', 'TUE'],
    ['0 0 0 ? * January', undefined],
    ['0 0 0 * 11-2 *', '11-12,1-2'],
    ['0 0 0 * NOV-FEB *', 'NOV-DEC,JAN-FEB'],
    ['0 0 0 * DEC-JAN *', 'DEC,JAN'],
    ['0 0 23-0 * * *', '23,0'],
    ['0 0 0 31-2 * *', '31,1-2'],
    ['0 0 22-2/2 * * *', undefined],
    ['0 0 ?/2 * * *', '*/2'],
    ['*/0 * * * * *', undefined],
    ['*/60 * * * * *', undefined],
    ['*/x * * * * *', undefined],
    ['0 0 */24 * * *', undefined],
    ['0 0 0 ? * */7', undefined],
    ['0 0 0 ? */12 *', undefined],
    ['0 0 0 */31 * *', undefined],
    ['100 * * * * *', undefined],
    ['1-x * * * * *', undefined],
  ];
  for (const [text, right] of WRONG) {
    it(`reject "${text}"${right === undefined ? '' : ` and suggest "${right}"`}`, () => {
      const { cron, flaws = [] } = readCron(text);
      expect(cron).to.equal(null);
      expect(flaws.map((issue) => issue.right)).to.deep.equal([right]);
    });
  }

  it('name the values that each field accepts', () => {
    const findIssue = (text: string): string | undefined => readCron(text).flaws?.[0]?.what;
    expect(findIssue('0 0 x * * *')).to.equal(
      'cannot be "x": it takes 0-23, "*", lists (1,2), ranges (1-5) and steps (*/5)',
    );
    expect(findIssue('0 0 0 * x *')).to.include('1-12 or JAN-DEC');
    expect(findIssue('0 0 0 * * x')).to.include('0-7 or SUN-SAT');
    expect(findIssue('0 0 0')).to.equal('has 3 fields; a schedule has six, seconds first');
    expect(findIssue('0')).to.equal('has one field; a schedule has six, seconds first');
    expect(findIssue('0 0 */99 * * *')).to.equal('has the step "99": one of 1 to 23 is meant');
    expect(findIssue('0 0 0 ? * */9')).to.equal('has the step "9": one of 1 to 6 is meant');
  });

  it('are rejected individually', () => {
    expect(readCron('60 60 24 32 13 8').flaws?.map(({ start, end }) => [start, end])).to.deep.equal([
      ...[
        [0, 2],
        [3, 5],
        [6, 8],
        [9, 11],
        [12, 14],
        [15, 16],
      ],
    ]);
  });

  const WORDS: readonly (readonly [text: string, words: string])[] = [
    ['5 * * * * *', 'in second 5'],
    ['5,10 0 0 * * *', 'in second 5 and 10 in minute 0 in hour 0'],
    ['*/7 * * * * *', 'in second 0, 7, 14, 21, 28, 35, 42, 49 and 56'],
    ['5/15 * * * * *', 'in second 5, 20, 35 and 50'],
    ['0 0,1,2 0,1 * * *', 'at 00:00, 00:01, 00:02, 01:00, 01:01 and 01:02'],
    ['0 0,1,2,3 0,1 * * *', 'in minute 0 to 3 in hour 0 and 1'],
    ['0 5,10 * * * *', 'in minute 5 and 10'],
    ['0 0 */12 * * *', 'at 00:00 and 12:00'],
    ['0 0 0 ? 1-3,5,6 *', 'at 00:00, in January to March, May and June'],
    ['0 0 0 ? 4,9,12 *', 'at 00:00, in April, September and December'],
    ['0 0 0 ? 7,8,10,11 *', 'at 00:00, in July, August, October and November'],
    ['0 0 0 ? * 0,2,4,6', 'at 00:00, on Sunday, Tuesday, Thursday and Saturday'],
    ['0 0 0 ? * 1,3,5', 'at 00:00, on Monday, Wednesday and Friday'],
    ['0 0 0 1-2,4-6 * *', 'at 00:00, on day 1, 2 and 4 to 6 of the month'],
  ];
  for (const [text, words] of WORDS) {
    it(`"${text}" is reported as "${words}"`, () => {
      const cron = parseCron(text);
      expect(cron && describeCron(cron)).to.equal(`${words} (UTC)`);
    });
  }
});
