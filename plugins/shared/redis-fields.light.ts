/** Config fields of a Redis server, for any use. */
import { string } from 'yup';
import { flag, text, value } from '../../contract/combinators.js';

export const redisFields = {
  url: value(string().required(), {
    doc:
      'Address of the server, with the password and the number of the database: `redis://:password@host:6379/0`. With ' +
      'sentinels `redis+sentinel://:password@host:26379,other:26379/name/0`; of a cluster ' +
      '`redis+cluster://:password@host:6379,other:6379`. `rediss` instead of `redis` encrypts the connection. Keep it in the environment.',
    examples: ['$ENV.REDIS_URL'],
    roots: ['ENV'],
    secret: true,
  }).required(),
  prefix: text({
    doc: 'Prefix of every key, so that several systems can share a server.',
    default: 'lintel:',
  }).max(100),
  tls: flag({ doc: 'Encrypts the connection; `rediss://` in the address has the same effect.', default: false }),
};
