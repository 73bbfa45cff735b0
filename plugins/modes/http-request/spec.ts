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
const QUERY = { say: 'what stands behind the question mark is `"query"`', rename: 'query' };
const RETRIES = { say: 'how often a call is sent again is `"retries"`', rename: 'retries' };

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
    'Scheme, host and port are constant or read from `$ENV`. A value in the path is one segment of it, percent-encoded; a value',
    'in the query is one value of it. Only public addresses are called, judged where they are dialled; the config section',
    '`outbound` opens others, and holds deadlines and limits.',
    '',
    'A status of success and those of `accept_status` give a result; an empty reply gives null. Another status is 502 with its',
    'number in `errors`, no answer in time 504. Redirects are failures unless `follow_redirects` allows some, and never lead to',
    'another origin.',
    '',
    'The body is JSON, or a form where `content-type` is `application/x-www-form-urlencoded`. Run by a job, a call carries the',
    'id of the job as `Idempotency-Key`. No transaction is open while a call runs.',
  ].join('\n'),
  facts: { touches: 'another service' },
  schema: shape(
    {
      http: shape(
        {
          url: value(string().min(1), {
            doc: 'Where to. Accessors in path and query are values, encoded; scheme, host and port are constant or `$ENV`.',
            examples: ['https://api.example.com/orders/$PAYLOAD.id'],
          }).required(),
          method: text({ doc: 'The verb.', default: 'GET' }).oneOf([...METHODS]),
          headers: record(value(string(), { doc: 'Its value.' }), {
            doc: 'Headers, whose values may hold accessors. One that is exactly one accessor, and that is null, is not sent.',
            complete: { source: 'header-name' },
            examples: [{ authorization: 'Bearer $ENV.API_KEY' }],
          }),
          query: record(value(null, { doc: 'A value, or a list of values.' }), {
            doc: 'Names and values behind the question mark (extension). Null leaves a name out, a list repeats it.',
            examples: [{ page: '$PAYLOAD.page', limit: 50 }],
          }),
          request_body: value(null, {
            doc: 'What is sent. A string that is exactly one accessor keeps the type of its value; in a form or XML that is written as text, values are encoded.',
            examples: [{ amount: '$PAYLOAD.amount', currency: 'EUR' }],
          }),
          accept_status: list(numeric({ doc: 'A status.' }).required().integer().min(300).max(599), {
            doc: 'Statuses that are no failure, beside those of success (extension).',
            examples: [[404]],
          }),
          timeout: numeric({
            doc: 'Within what time the call must be over, all tries together (extension); `outbound.timeouts` has the default and the most.',
            unit: 'seconds',
            examples: [30],
          })
            .min(0.01)
            .max(3600),
          retries: numeric({
            doc: 'How often a call that failed for the moment is sent again, each time after a longer pause (extension). POST and PATCH need a header `Idempotency-Key`.',
            default: 0,
          })
            .integer()
            .min(0)
            .max(5),
          follow_redirects: numeric({
            doc: 'How many redirects within the origin are followed (extension).',
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
      title: 'One segment of the path; nothing found is no failure',
      json: {
        mode: 'HTTPREQUEST',
        http: { url: 'https://api.example.com/orders/$PAYLOAD.order', accept_status: [404], retries: 2 },
      },
    },
    {
      title: 'A token endpoint that takes a form',
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
      title: 'A POST that may be done twice',
      json: { mode: 'HTTPREQUEST', http: { url: 'https://api.example.com', method: 'POST', retries: 3 } },
      code: 'OUT_RETRIES',
      at: '/http/retries',
    },
  ],
});
