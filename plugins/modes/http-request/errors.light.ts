/** Error codes of calls. Messages must never contain parts of a reply. */
import type { CodeEntry } from '../../../contract/problem.js';

export const errors: Readonly<Record<string, CodeEntry>> = {
  OUT_URL: {
    severity: 'error',
    title: 'URL that cannot be called',
    message: 'The URL of {place} cannot be used: {what}.',
    help: 'Write a constant scheme and host, or read them from `$ENV`: `https://api.example.com/orders/$PAYLOAD.id`.',
  },
  OUT_HOST: {
    severity: 'error',
    title: 'Host from a request',
    message: 'The target of the call depends on {name}; scheme, host and port must be constant or read from `$ENV`.',
    help:
      'Write a constant host, and put values into the path, the query or the body. A whole URL may come from a request if the ' +
      'config has `outbound.dynamic_hosts: true`.',
  },
  OUT_PRIVATE: {
    severity: 'error',
    title: 'Address that is not public',
    message: '"{host}" is not public ({what}), and the config does not open it.',
    help: 'List it in the config: `"outbound": { "allow": ["{host}"] }`.',
  },
  OUT_SECRET_QUERY: {
    severity: 'warning',
    title: 'Secret in a URL',
    message: '{name} becomes part of the query; servers and proxies write addresses into their logs.',
    help: 'Send it in a header, if the other service accepts it there.',
  },
  OUT_HEADER: {
    severity: 'error',
    title: 'Header that cannot be sent',
    message: 'The header "{name}" {what}.',
    help: 'Headers of the connection and of the length of the body are set by Lintel.',
  },
  OUT_BODY: {
    severity: 'error',
    title: 'Body that cannot be sent',
    message: 'This body cannot be sent: {what}.',
    help: 'Use a verb that has a body: `"method": "POST"`.',
  },
  OUT_RETRIES: {
    severity: 'error',
    title: 'Repeated without a key',
    message: 'A {method} that is retried may run twice.',
    help: 'Send a header `Idempotency-Key` that the other service understands, or leave `retries` out.',
  },
  OUT_VALUE: {
    status: 422,
    title: 'Value cannot be sent',
    message: '{name} {what}.',
    help: 'Only text, numbers and booleans can be part of a URL or a header. A value in a path is one segment, a value in a header one line.',
  },
  OUT_STATUS: {
    status: 502,
    title: 'Other service returned an error',
    message: 'Another service returned status {status}.',
    help: 'List statuses that are not errors in `accept_status`.',
  },
  OUT_FAILED: {
    status: 502,
    title: 'Other service not reached',
    message: 'Another service could not be reached.',
    help: 'The log has the host and the reason: unknown name, connection refused or reset, or an untrusted certificate.',
  },
  OUT_UNREADABLE: {
    status: 502,
    title: 'Reply not readable',
    message: 'The reply of another service cannot be used: {what}.',
    help: 'Replies are JSON or text; the limits are `outbound.limits` in the config.',
  },
  OUT_TIMEOUT: {
    status: 504,
    title: 'Other service too slow',
    message: 'Another service did not respond in time.',
    help: 'The deadlines are `outbound.timeouts` in the config and `timeout` in the definition.',
  },
  OUT_REFUSED: {
    status: 502,
    title: 'Address not allowed',
    message: 'The address of this call is not allowed.',
    help: 'Calls to this host are refused: add it to `outbound.allow` of the config. Without an entry only public addresses are called.',
  },
};
