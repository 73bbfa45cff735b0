/** Hover for schedules: description and the next runs in the schedule's time zone. */
import { joinBlocks } from '../../language/export/markdown.js';
import { readCron } from '../../language/strings/cron.js';
import { listNextInstants } from '../../language/strings/cron-next.js';
import { describeCron } from '../../language/strings/cron-describe.js';
import { createLocalClock } from '../../language/strings/zone.js';
import { zoneAt } from '../zones.js';
import { createTokenHover, type HoverSource } from './hover-source.js';

const RUNS = 3;

export const hoverSchedule: HoverSource = (view, site) => {
  const { cursor, levels } = site;
  if (cursor.at !== 'value' || levels.at(-1)?.field?.meta.language !== 'cron' || cursor.token === null) return null;
  return createTokenHover(site, scheduleMarkdown(cursor.token.text, zoneAt(view, site), Date.now()));
};

/** `now`: Unix time in milliseconds. Empty for an invalid schedule, which the checker reports. */
function scheduleMarkdown(text: string, zone: string, now: number): string {
  const { cron } = readCron(text);
  if (cron === null) return '';
  const runs = listNextInstants(cron, zone, now, RUNS).map((instant) => `- ${formatInstant(instant, zone)}`);
  const words = describeCron(cron, zone);
  return joinBlocks(
    `**${words.replace(/^[a-z]/, (letter) => letter.toUpperCase())}**`,
    runs.length === 0 ? 'It never runs.' : joinBlocks('Next runs:', runs.join('\n')),
  );
}

/** E.g. `Mon 2026-01-05 03:00:00 +01:00`. */
function formatInstant(instant: number, zone: string): string {
  const wall = createLocalClock(zone)(instant);
  const at = new Date(wall);
  const day = at.toUTCString().slice(0, 3);
  const minutes = Math.round((wall - instant) / 60_000);
  const padTwoDigits = (value: number): string => String(value).padStart(2, '0');
  const ahead = `${minutes < 0 ? '-' : '+'}${padTwoDigits(Math.floor(Math.abs(minutes) / 60))}:${padTwoDigits(Math.abs(minutes) % 60)}`;
  return `${day} ${at.toISOString().slice(0, 19).replace('T', ' ')} ${minutes === 0 ? 'UTC' : ahead}`;
}
