/** The log: structured lines, pretty on a terminal. Fields are ids, codes and times; values of requests never. */
import { pino, type Logger } from 'pino';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export async function createLog(): Promise<Logger> {
  const wanted = process.env['LOG_LEVEL'] ?? 'info';
  const level = LEVELS.includes(wanted) ? wanted : 'info';
  const options = { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` };
  if (!isPretty()) return pino(options);
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({ ignore: 'pid,hostname', translateTime: 'HH:MM:ss', singleLine: true, sync: true });
  return pino(options, stream);
}

/** LOG_FORMAT decides, then whether somebody is looking. */
export const isPretty = (): boolean => {
  const format = process.env['LOG_FORMAT'];
  return format === undefined ? process.stdout.isTTY : format === 'pretty';
};
