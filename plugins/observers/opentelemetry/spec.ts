/** Exports traces of requests and actionables to a collector. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { numeric, record, shape, text, value } from '../../../contract/combinators.js';

export default definePlugin({
  kind: 'observer',
  name: 'opentelemetry',
  since: '0.3.0',
  packages: [
    '@opentelemetry/api',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace-base',
  ],
  summary:
    'Sends a trace of each request, message and run to a collector, with one span for it and one for each actionable.',
  details: [
    'Spans are sent as OTLP over HTTP, in JSON, in batches, independently of requests: a slow or unavailable',
    'collector delays nothing. It is logged once, and spans beyond the limit of the queue are dropped.',
    '',
    'A request with a `traceparent` continues that trace, and keeps its decision on sampling; `ratio` decides on all',
    'others. Outbound calls of a request send their own `traceparent`. `tracestate` and baggage are not passed on.',
    '',
    'Deferred work has its own trace for each run, with a link to the request that accepted it: the trace headers of',
    'that request are stored with the job. Messages of WebSocket clients, with a link to the upgrade request, and',
    'scheduled runs have their own traces too.',
    '',
    'Attributes: resource, verb, path as the definition writes it, status, problem code; for an actionable its key,',
    'mode and problem code. A span contains no value of a request. Requests that reach no resource (status page,',
    'unknown addresses, other verbs) have no trace.',
  ].join('\n'),
  facts: {},
  schema: shape({
    endpoint: value(
      string()
        .required()
        .matches(/^https?:\/\/[^\s/]+/),
      {
        doc: 'Address of the collector. Default: the variable OTEL_EXPORTER_OTLP_ENDPOINT followed by `/v1/traces`, or the collector on this machine.',
        examples: ['http://127.0.0.1:4318/v1/traces', '$ENV.COLLECTOR_URL'],
        roots: ['ENV'],
      },
    ),
    headers: record(value(string().required(), { doc: 'Its value.', roots: ['ENV'], secret: true }), {
      doc: 'Headers that the collector requires, such as an API key. Keep them in the environment.',
      complete: { source: 'header-name' },
      examples: [{ 'x-api-key': '$ENV.EXAMPLE_KEY' }],
    }),
    service_name: text({
      doc: 'Name of the service. Default: the variable OTEL_SERVICE_NAME, or `lintel`.',
      examples: ['wallet'],
    }).min(1),
    ratio: numeric({ doc: 'Share of the requests that are traced: 1 is all, 0.01 is one of a hundred.', default: 1 })
      .min(0)
      .max(1),
    queue: numeric({ doc: 'Maximum number of waiting spans; further spans are dropped.', unit: 'spans', default: 2048 })
      .integer()
      .min(1)
      .max(100_000),
    interval: numeric({ doc: 'Interval at which waiting spans are sent.', unit: 'seconds', default: 5 })
      .min(0.05)
      .max(300),
    timeout: numeric({
      doc: 'Time to send a batch, and maximum time that a shutdown waits for the last ones.',
      unit: 'seconds',
      default: 3,
    })
      .min(0.1)
      .max(60),
  }),
  examples: [
    { title: 'The collector on this machine', json: { use: 'opentelemetry' } },
    {
      title: 'One of ten requests, to a collector with a key',
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
    { title: 'A share above 1', json: { use: 'opentelemetry', ratio: 2 }, code: 'DEF_RANGE', at: '/ratio' },
    {
      title: 'Unknown option',
      json: { use: 'opentelemetry', url: 'http://127.0.0.1' },
      code: 'DEF_UNKNOWN_KEY',
      at: '/url',
    },
  ],
});
