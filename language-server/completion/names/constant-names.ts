/** Name sources that are equal in every project: media types, schedules, time zones. */
import { describeCron } from '../../../language/strings/cron-describe.js';
import { readCron } from '../../../language/strings/cron.js';
import { listZoneNames } from '../../../language/strings/zone.js';
import type { NameSource } from './name-source.js';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  'image/*': 'every picture',
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/webp': 'WebP',
  'image/gif': 'GIF',
  'image/avif': 'AVIF',
  'image/svg+xml': 'SVG, which a browser may run',
  'application/pdf': 'PDF',
  'application/json': 'JSON',
  'application/zip': 'ZIP archive',
  'application/gzip': 'gzip archive',
  'application/octet-stream': 'bytes of no known sort',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Excel sheet',
  'text/*': 'every text',
  'text/plain': 'plain text',
  'text/csv': 'CSV',
  'text/markdown': 'Markdown',
  'text/html': 'HTML, which a browser may run',
  'audio/*': 'every sound',
  'audio/mpeg': 'MP3',
  'audio/ogg': 'Ogg',
  'video/*': 'every film',
  'video/mp4': 'MP4',
  'video/webm': 'WebM',
};

export const suggestMediaTypes: NameSource = () =>
  Object.entries(MEDIA_TYPES).map(([name, detail]) => ({ name, detail }));

const SCHEDULES = [
  '0 0 3 * * *',
  '0 */5 * * * *',
  '*/30 * * * * *',
  '0 0 * * * *',
  '0 0 9 ? * MON-FRI',
  '0 30 8,20 * * *',
  '0 0 0 1 * *',
  '0 0 6 ? * SUN',
];

export const suggestSchedules: NameSource = () =>
  SCHEDULES.flatMap((name) => {
    const { cron } = readCron(name);
    return cron === null ? [] : [{ name, detail: describeCron(cron) }];
  });

export const suggestZones: NameSource = () => listZoneNames().map((name) => ({ name }));
