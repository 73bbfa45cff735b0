/** The config section `outbound`: its grammar and its defaults. */
import { isObject, type JsonObject } from '../../contract/json.js';
import { OUTBOUND, type Outbound } from '../../contract/outbound.js';
import { flag, list, numeric, record, shape, text } from '../../contract/combinators.js';

/** A host or an address (IPv6 with a port in brackets), with an optional prefix length or port. */
const ENTRY =
  /^(\[[0-9A-Fa-f:.]+\](:\d{1,5})?|[0-9A-Fa-f:]+:[0-9A-Fa-f:.]*(\/\d{1,3})?|[A-Za-z0-9._-]+(\/\d{1,2})?(:\d{1,5})?)$/;
const HOST_AND_PORT = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/;

const createSecondsField = (doc: string, value: number) =>
  numeric({ doc, unit: 'seconds', default: value }).min(0.01).max(3600);
const createLimitField = (doc: string, unit: string, value: number) =>
  numeric({ doc, unit, default: value }).integer().min(1);
const { timeouts, limits } = OUTBOUND;

export const createOutboundSchema = () =>
  shape({
    allow: list(text({ doc: 'A host, an address, or a range; a port may follow.' }).required().matches(ENTRY), {
      doc:
        'Non-public addresses that may be called: `billing.internal`, `10.1.0.0/16`, `127.0.0.1:9000`, `[fd00::5]:443`. ' +
        'The metadata addresses of clouds, which return credentials, must be listed one by one; a range does not include them.',
      default: [],
      examples: [['billing.internal', '10.1.0.0/16', '127.0.0.1:9000']],
    }),
    ports: list(numeric({ doc: 'A port.' }).required().integer().min(1).max(65_535), {
      doc: 'The only ports that may be called, in addition to those in `allow`. Empty: any port.',
      default: [],
      examples: [[443]],
    }),
    dynamic_hosts: flag({
      doc: 'The URL of a call may be a single accessor, so that the whole URL comes from the request. Such a call reaches public addresses only, regardless of `allow`.',
      default: false,
    }),
    ca: text({ doc: 'File (PEM) with additional trusted certificate authorities.', examples: ['./ca.pem'] }).min(1),
    connect_to: record(text({ doc: 'The `host:port` to connect to instead.' }).required().matches(HOST_AND_PORT), {
      doc:
        'Connects to another address for a `host:port`: a stub in tests, an egress proxy. Certificates are checked against the host that the ' +
        'definition calls.',
      examples: [{ 'api.example.com:443': '127.0.0.1:8443' }],
      advanced: true,
    }),
    timeouts: shape({
      connect: createSecondsField('Time to establish a connection: name lookup, TCP, TLS.', timeouts.connect),
      total: createSecondsField('Time for a whole call, unless its definition sets `timeout`.', timeouts.total),
      most: createSecondsField('Largest `timeout` that a definition may set.', timeouts.most),
    }).meta({ doc: 'Timeouts of calls.' }),
    limits: shape({
      reply: createLimitField('Largest reply, after decompression.', 'bytes', limits.reply),
      depth: createLimitField('Deepest nesting of a reply.', 'levels', limits.depth),
      keys: createLimitField('Most properties in a reply, all objects together.', 'keys', limits.keys),
      array: createLimitField('Longest array in a reply.', 'items', limits.array),
    }).meta({ doc: 'Limits of replies.' }),
  }).meta({
    doc: 'Calls that definitions make to other services. Only public addresses are called unless `allow` opens others.',
  });

const getObject = (json: JsonObject, key: string): JsonObject => (isObject(json[key]) ? json[key] : {});

/** `config` must be valid. */
export function resolveOutbound(config: JsonObject): Outbound {
  const written = getObject(config, 'outbound');
  return {
    ...OUTBOUND,
    ...written,
    timeouts: { ...OUTBOUND.timeouts, ...getObject(written, 'timeouts') },
    limits: { ...OUTBOUND.limits, ...getObject(written, 'limits') },
  };
}
