/** Variable of the key that encrypts queued jobs, shared by checks and queues. Data only. */
export const QUEUE_KEY = 'QUEUE_ENCRYPTION_KEY';
/** Minimum length of its value in bytes. */
export const QUEUE_KEY_BYTES = 32;
