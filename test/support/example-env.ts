/** Environment variables of the spec examples, and their keys. Created for tests; opens nothing. */
import { RSA_PAIR, RSA_PUBLIC_PEM } from './rsa.js';

/** The sender whose public key is in the environment. */
export const EXAMPLE_SENDER = RSA_PAIR;

export const EXAMPLE_ENV = {
  /** 32 characters: a key of every format. */
  EXAMPLE_KEY: 'canary-example-key-Qm7xT2vLs9Rw4',
  /** A second one, for examples that must not share a key. */
  EXAMPLE_SECRET: 'canary-example-secret-Vb3kYp8Zt1',
  /** Of 16 characters. */
  EXAMPLE_KEY_16: 'canary-Hb4nZq8Vt',
  EXAMPLE_IPS: '127.0.0.1 | ::1',
  EXAMPLE_PEM: RSA_PUBLIC_PEM,
};
