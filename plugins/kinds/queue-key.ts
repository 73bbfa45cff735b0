/** The variable under which work is encrypted while it waits. Data only: checks and queues name the same one. */
export const QUEUE_KEY = 'QUEUE_ENCRYPTION_KEY';
/** Least length of its value. */
export const QUEUE_KEY_BYTES = 32;
