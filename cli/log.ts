/** JSON lines, or pretty on a terminal. Fields are ids, codes and times, never values. */
import { pino, type Logger } from 'pino';
import type { Terminal } from './terminal.js';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export async function createLog(terminal: Terminal): Promise<Logger> {
  const wanted = terminal.env['LOG_LEVEL'] ?? 'info';
  const level = LEVELS.includes(wanted) ? wanted : 'info';
  const options = { level, base: null, timestamp: () => `,"time":"${new Date().toISOString()}"` };
  const { stdout } = terminal;
  // Directly to the file descriptor: several times as fast.
  if (!isPretty(terminal)) return pino(options, stdout.fd === undefined ? stdout : pino.destination(stdout.fd));
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({
    ignore: 'pid,hostname',
    translateTime: 'HH:MM:ss',
    singleLine: true,
    sync: true,
    destination: stdout.fd ?? stdout,
  });
  return pino(options, stream);
}

/** `LOG_FORMAT` decides; without it, a TTY. */
export const isPretty = ({ env, stdout }: Terminal): boolean => {
  const format = env['LOG_FORMAT'];
  return format === undefined ? stdout.isTTY === true : format === 'pretty';
};
