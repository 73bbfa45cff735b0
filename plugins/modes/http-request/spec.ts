/** Spec of mode `HTTPREQUEST`: a call to another service over HTTP. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { list, numeric, record, shape, text, value } from '../../../contract/combinators.js';
import { check } from './check.light.js';
import { errors } from './errors.light.js';
import { METHODS } from './http-syntax.light.js';

const CALL = 'a call is written `"http": {"url": "https://...", "method": "POST", "headers": {}, "request_body": {}}`';
const BODY = { say: 'the body is `"request_body"`', rename: 'request_body' };
const URL = { say: 'the address is `"url"`', rename: 'url' };
const QUERY = { say: 'the query string is `"query"`', rename: 'query' };
const RETRIES = { say: 'the number of retries is `"retries"`', rename: 'retries' };

const RENAMED = { say: CALL, rename: 'http' };
/** Common mistakes for `http`; their contents may be valid. */
const WHOLE = {
  request: RENAMED,
  fetch: RENAMED,
  https: RENAMED,
  http_request: RENAMED,
  httprequest: RENAMED,
  api: RENAMED,
  api_call: RENAMED,
};

export default definePlugin({
  kind: 'mode',
  name: 'HTTPREQUEST',
  aliases: ['HTTP', 'HTTP_REQUEST', 'FETCH', 'REQUEST', 'API', 'API_CALL', 'CALL', 'WEBHOOK'],
  since: '0.3.0',
  summary: 'Calls another service over HTTP. The result is its JSON, or its text.',
  details: [
    'Scheme, host and port are constant or from `$ENV`. A value in the path is one percent-encoded segment; a value',
    'in the query is one value of it. Only public addresses are called; the check uses the address that is connected',
    'to. The config section `outbound` allows others, and has the timeouts and limits.',
    '',
    'A status 2xx and those of `accept_status` return a result; an empty reply returns null. Any other status is 502',
    'with its number in `errors`; a timeout is 504. Redirects are errors unless `follow_redirects` allows them, and',
    'never lead to another origin.',
    '',
    'The body is JSON, or a form if `content-type` is `application/x-www-form-urlencoded`. A call in a job sends the',
    'id of the job as `Idempotency-Key`. No transaction is open while a call runs.',
  ].join('\n'),
  facts: { touches: 'another service' },
  schema: shape(
    {
      http: shape(
        {
          url: value(string().min(1), {
            doc: 'The URL. Accessors in the path and the query are encoded values; scheme, host and port are constant or from `$ENV`.',
            examples: ['https://api.example.com/orders/$PAYLOAD.id'],
            sent: true,
          }).required(),
          method: text({ doc: 'The verb.', default: 'GET' }).oneOf([...METHODS]),
          headers: record(value(string(), { doc: 'Its value.', sent: true }), {
            doc: 'Headers; values may contain accessors. A header that is a single accessor with the value null is not sent.',
            complete: { source: 'header-name' },
            examples: [{ authorization: 'Bearer $ENV.API_KEY' }],
          }),
          query: record(value(null, { doc: 'A value, or a list of values.', sent: true }), {
            doc: 'Parameters of the query string (extension). Null omits a parameter, a list repeats it.',
            examples: [{ page: '$PAYLOAD.page', limit: 50 }],
          }),
          request_body: value(null, {
            doc: 'The body. A string that is a single accessor keeps the type of its value. In a form or XML written as text, values are encoded.',
            examples: [{ amount: '$PAYLOAD.amount', currency: 'EUR' }],
            sent: true,
          }),
          accept_status: list(numeric({ doc: 'A status.' }).required().integer().min(300).max(599), {
            doc: 'Statuses that are accepted in addition to 2xx (extension).',
            examples: [[404]],
          }),
          timeout: numeric({
            doc: 'Time for the whole call with all its retries (extension). `outbound.timeouts` has the default and the maximum.',
            unit: 'seconds',
            examples: [30],
          })
            .min(0.01)
            .max(3600),
          retries: numeric({
            doc: 'Number of retries after a temporary failure, each after a longer pause (extension). POST and PATCH need a header `Idempotency-Key`.',
            default: 0,
          })
            .integer()
            .min(0)
            .max(5),
          follow_redirects: numeric({
            doc: 'Maximum number of redirects to follow within the origin (extension).',
            default: 0,
          })
            .integer()
            .min(0)
            .max(5),
        },
        {
          form: '{"url": "https://...", "method": "POST", "headers": {}, "request_body": {}}',
          mistaken: {
            body: BODY,
            data: BODY,
            json: BODY,
            payload: BODY,
            requestBody: BODY,
            uri: URL,
            endpoint: URL,
            address: URL,
            href: URL,
            link: URL,
            base_url: 'the whole address stands in `"url"`: `"https://api.example.com/orders/$PAYLOAD.id"`',
            path: 'the whole address stands in `"url"`: `"https://api.example.com/orders/$PAYLOAD.id"`',
            verb: { say: 'the verb is `"method"`', rename: 'method' },
            type: { say: 'the verb is `"method"`', rename: 'method' },
            header: { say: 'headers are `"headers"`', rename: 'headers' },
            params: QUERY,
            query_params: QUERY,
            search: QUERY,
            query_parameters: QUERY,
            retry: RETRIES,
            auth: 'credentials are a header: `"headers": {"authorization": "Bearer $ENV.API_KEY"}`',
          },
        },
      )
        .required()
        .meta({ doc: 'The call.' }),
    },
    {
      mistaken: { url: CALL, method: CALL, headers: CALL, request_body: CALL, ...WHOLE },
    },
  ),
  check,
  errors,
  examples: [
    {
      title: 'JSON to another service, with a key from the environment',
      json: {
        mode: 'HTTPREQUEST',
        http: {
          url: 'https://api.example.com/v1/messages',
          method: 'POST',
          headers: { authorization: 'Bearer $ENV.EXAMPLE_KEY' },
          request_body: { text: 'Hello', to: 'ada@example.com' },
        },
        returnables: ['id'],
      },
    },
    {
      title: 'A value in the path; 404 is accepted',
      json: {
        mode: 'HTTPREQUEST',
        http: { url: 'https://api.example.com/orders/$PAYLOAD.order', accept_status: [404], retries: 2 },
      },
    },
    {
      title: 'A token endpoint that accepts a form',
      json: {
        mode: 'HTTPREQUEST',
        http: {
          url: 'https://login.example.com/token',
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          request_body: { grant_type: 'authorization_code', code: '$PAYLOAD.code', client_id: 'client-1' },
        },
      },
    },
  ],
  counterExamples: [
    { title: 'No call', json: { mode: 'HTTPREQUEST' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'The host comes from the client',
      json: { mode: 'HTTPREQUEST', http: { url: 'https://$PAYLOAD.host/orders' } },
      code: 'OUT_HOST',
      at: '/http/url',
    },
    {
      title: 'No scheme',
      json: { mode: 'HTTPREQUEST', http: { url: 'api.example.com/orders' } },
      code: 'OUT_URL',
      at: '/http/url',
    },
    {
      title: 'A body for GET',
      json: { mode: 'HTTPREQUEST', http: { url: 'https://api.example.com', request_body: { a: 1 } } },
      code: 'OUT_BODY',
      at: '/http/request_body',
    },
    {
      title: 'A header of the connection',
      json: { mode: 'HTTPREQUEST', http: { url: 'https://api.example.com', headers: { Host: 'other.example.com' } } },
      code: 'OUT_HEADER',
      at: '/http/headers/Host',
    },
    {
      title: 'A POST that could run twice',
      json: { mode: 'HTTPREQUEST', http: { url: 'https://api.example.com', method: 'POST', retries: 3 } },
      code: 'OUT_RETRIES',
      at: '/http/retries',
    },
  ],
});
