/** Spec of `opentelemetry`: exports traces of requests and their actionables to a collector. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { numeric, record, shape, text, value } from '../../../contract/combinators.js';

export default definePlugin({
  kind: 'observer',
  name: 'opentelemetry',
  since: '0.3.0',
  summary: 'Sends a trace of each request, message and run to a collector: one span for it, one for each actionable.',
  details: [
    'Spans go as OTLP over HTTP, in JSON, in batches and behind the back of requests: a collector that is slow or away',
    'delays nothing. It is mentioned in the log once, and what does not fit into the queue meanwhile is dropped.',
    '',
    'A request that brings a `traceparent` continues that trace, and keeps its decision on sampling; `ratio` decides on all',
    'others. Outbound calls made for a request carry a `traceparent` of their own. `tracestate` and baggage are not passed on.',
    '',
    'Work that was put off has a trace of its own for each run, with a link to the request that accepted it: the trace headers',
    'of that request travel with the work. So have messages of clients that stay connected, with a link to what the upgrade',
    'brought, and scheduled runs.',
    '',
    'Attributes: resource, verb, path as the definition writes it, status, problem code; of an actionable its key, mode and',
    'problem code. No value of a request is in a span. What is answered before a resource is asked (status page, unknown',
    'addresses, other verbs) has none.',
  ].join('\n'),
  facts: {},
  schema: shape({
    endpoint: value(
      string()
        .required()
        .matches(/^https?:\/\/[^\s/]+/),
      {
        doc: 'Address that takes spans. Without it: the variable OTEL_EXPORTER_OTLP_ENDPOINT with `/v1/traces` behind it, or the collector of this machine.',
        examples: ['http://127.0.0.1:4318/v1/traces', '$ENV.COLLECTOR_URL'],
        roots: ['ENV'],
      },
    ),
    headers: record(value(string().required(), { doc: 'Its value.', roots: ['ENV'], secret: true }), {
      doc: 'Headers that the collector asks for, such as an API key. Keep them in the environment.',
      complete: { source: 'header-name' },
      examples: [{ 'x-api-key': '$ENV.EXAMPLE_KEY' }],
    }),
    service_name: text({
      doc: 'What the service is called. Without it: the variable OTEL_SERVICE_NAME, or `lintel`.',
      examples: ['wallet'],
    }).min(1),
    ratio: numeric({ doc: 'Which share of the requests is traced: 1 is all, 0.01 one of a hundred.', default: 1 })
      .min(0)
      .max(1),
    queue: numeric({ doc: 'Spans that wait at most; what comes beyond is dropped.', unit: 'spans', default: 2048 })
      .integer()
      .min(1)
      .max(100_000),
    interval: numeric({ doc: 'How often waiting spans are sent.', unit: 'seconds', default: 5 }).min(0.05).max(300),
    timeout: numeric({
      doc: 'How long a batch may take, and how long the end of the service waits for the last ones.',
      unit: 'seconds',
      default: 3,
    })
      .min(0.1)
      .max(60),
  }),
  examples: [
    { title: 'The collector of this machine', json: { use: 'opentelemetry' } },
    {
      title: 'One of ten requests, to a collector that asks for a key',
      json: {
        use: 'opentelemetry',
        endpoint: 'https://collector.example.com/v1/traces',
        headers: { 'x-api-key': '$ENV.EXAMPLE_KEY' },
        service_name: 'wallet',
        ratio: 0.1,
      },
    },
  ],
  counterExamples: [
    { title: 'More than all', json: { use: 'opentelemetry', ratio: 2 }, code: 'DEF_RANGE', at: '/ratio' },
    {
      title: 'Unknown option',
      json: { use: 'opentelemetry', url: 'http://127.0.0.1' },
      code: 'DEF_UNKNOWN_KEY',
      at: '/url',
    },
  ],
});
