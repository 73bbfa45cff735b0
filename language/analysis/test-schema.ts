/** The schema of test files (`*.test.json`), which `lintel test` runs. `checks/tests.ts` links the names in it. */
import type { ObjectShape } from 'yup';
import { anyJson, either, flag, list, numeric, record, shape, text, value } from '../../contract/combinators.js';

/** No accessor of requests has a value in a test; `$SAVED` is checked by `checks/tests.ts`. */
const SAVED = ['SAVED'];

const object = <S extends ObjectShape>(doc: string, fields: S) => shape(fields).meta({ doc });

const expectValue = (inner: Parameters<typeof value>[0], doc: string) =>
  value(inner, { doc, roots: SAVED, matched: true });

const createRow = (doc: string, matched: boolean) =>
  record(value(null, { doc: 'The value of the column.', roots: SAVED, matched }), {
    doc,
    complete: { source: 'model-field' },
  });

const createRows = (doc: string, matched = true) =>
  record(list(createRow('A row.', matched), { doc: 'Rows.' }), { doc, complete: { source: 'model' } });

const createClaims = (doc = 'Claims.') =>
  record(value(null, { doc: 'The claim.', roots: SAVED }), { doc, examples: [{ id: '1' }] });

const createCaller = () =>
  either([createClaims(), flag({ doc: 'A token is sent.' })], {
    doc: 'Claims of the caller, instead of those of `given` (`true`). `false`: no token is sent.',
    examples: [{ id: '1' }],
  });

const createHeaders = (doc: string, of?: string) =>
  record(value(text({ doc: 'Text of the header.' }), { doc: 'The header.', matched: true, roots: SAVED }), {
    doc,
    complete: { source: 'header-name', ...(of !== undefined && { of }) },
  });

const service = object('A service that definitions call.', {
  method: text({ doc: 'Method of the call. Default: any.' }),
  url: text({
    doc: 'Address of the call. Its query counts only if one is written.',
    examples: ['https://pay.example.com/charges'],
  }).required(),
  body: expectValue(null, 'What the body of the call has. Default: any.'),
  answer: object('The response. Default: 200 without a body.', {
    status: numeric({ doc: 'Status of the response.', default: 200 }).integer().min(100).max(599),
    headers: record(text({ doc: 'The header.' }), { doc: 'Headers of the response.' }),
    body: anyJson({ doc: 'Body of the response.' }),
  }),
  delay: numeric({ doc: 'Time until the response.', unit: 'seconds', default: 0 }).min(0).max(60),
  failure: text({ doc: 'In place of a response.' }).oneOf(['disconnect']),
});

const createPath = () =>
  text({
    doc: 'A file with the content. Its path begins at the folder of the test file.',
    examples: ['photo.png'],
    path: 'sibling',
  }).min(1);

const createContent = () => ({
  text: value(text({ doc: 'The text itself.' }), { doc: 'The content as text.', roots: SAVED }),
  base64: text({ doc: 'The content in Base64.', examples: ['iVBORw0KGgo='] }).matches(
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  ),
  path: createPath(),
});

const storedFile = object('A file. It has one of `text`, `base64` and `path`.', {
  key: text({ doc: 'Key of the file in the storage.', examples: ['photos/before.png'] })
    .matches(/^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*(?:\.[a-z0-9]+)?$/)
    .required(),
  ...createContent(),
});

const sentFile = object('A file. It has one of `text`, `base64` and `path`.', {
  field: text({ doc: 'Name of its part in the form.', examples: ['photo'] })
    .min(1)
    .required(),
  name: text({ doc: 'Its file name. Default: that of `path`, or `field`.', examples: ['photo.png'] }).min(1),
  type: text({
    doc: 'Its media type, as the client declares it.',
    complete: { source: 'media-type' },
    examples: ['image/png'],
  })
    .matches(/^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/)
    .required(),
  ...createContent(),
});

const expectedFile = object('A file.', {
  key: expectValue(text({ doc: 'The key.' }), 'Key of the file in the storage.'),
  size: expectValue(numeric({ doc: 'The size.', unit: 'bytes' }), 'Its size in bytes.'),
  text: expectValue(text({ doc: 'The text itself.' }), 'Its content, if it is text in UTF-8.'),
  base64: expectValue(text({ doc: 'The content.' }), 'Its content in Base64.'),
  path: createPath(),
});

const repeated = object('A long value.', {
  repeat: either([text({ doc: 'A text.' }), list(anyJson({ doc: 'An item.' }), { doc: 'A list.' })], {
    doc: 'A text, or the items of a list.',
  }).required(),
  times: numeric({ doc: 'How often it is there.' }).integer().min(1).max(10_000_000).required(),
});

const identifiers = object('Identifiers of a generator.', {
  generator: text({ doc: 'Its name.', plugin: 'generator' }).required(),
  values: list(text({ doc: 'An identifier.' }), {
    doc: 'What it creates first, in this order.',
  }).required(),
});

const createGiven = () =>
  object('What there is before the first step.', {
    values: record(repeated, {
      doc: 'Long texts and lists, which steps read as `$SAVED.name`.',
      examples: [{ long: { repeat: 'x', times: 201 } }],
    }),
    tables: createRows('Rows by table or collection. All others are empty.', false),
    files: list(storedFile, {
      doc: 'Files in the storage. There are no others.',
      itemLabel: 'this file',
      form: '[{"key": "photos/before.png", "path": "photo.png"}]',
    }),
    claims: createClaims('Claims of the caller. A token that the guard accepts is made.'),
    now: text({
      doc: 'The time at the first step. It stands still until a step waits. Default: that of the system.',
      examples: ['2026-01-01T00:00:00Z'],
    }).matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/),
    identifiers: list(identifiers, {
      doc: 'Identifiers that are created, instead of new ones.',
    }),
    services: list(service, {
      doc: 'Services that definitions call. Any other call fails the case; nothing outside is called.',
      itemLabel: 'this service',
    }),
    environment: record(text({ doc: 'The value.' }), {
      doc: 'Variables of the environment. Each combination starts a server of its own.',
      complete: { source: 'env-name' },
    }),
  });

const request = object('The request of the step.', {
  resource: text({ doc: 'Id of the resource that is called.', refers: { symbol: 'resource' } }),
  client: text({ doc: 'A connected WebSocket client, which sends the request as a message.', examples: ['screen'] }),
  path: text({ doc: 'Path and query to call, instead of `resource`.', examples: ['/notes/1?full=true'] }),
  method: text({ doc: 'Method of the request.', default: 'POST', examples: ['GET'] }).matches(/^[A-Z]+$/),
  headers: createHeaders('Headers of the request.'),
  body: value(null, { doc: 'The payload. `$SAVED.name` is a value that an earlier step has saved.', roots: SAVED }),
  files: list(sentFile, {
    doc: 'Files of a form (`multipart/form-data`). The fields of `body` are its other parts.',
    itemLabel: 'this file',
    form: '[{"field": "photo", "type": "image/png", "path": "photo.png"}]',
  }),
  signed: flag({
    doc: 'Signs the request for the verifiers of a webhook; `false`: wrongly. Default: not at all.',
  }),
  as: createCaller(),
});

const response = object('The response. Without `status` and `problem`, it succeeds.', {
  status: numeric({ doc: 'Status of the response.', examples: [200] })
    .integer()
    .min(100)
    .max(599),
  headers: createHeaders('Headers that the response has.', 'answer'),
  body: expectValue(
    null,
    'The body. Objects may have more fields; matchers such as `{"$any": "uuid"}` accept many values.',
  ),
  problem: object('The request is rejected.', {
    code: text({ doc: 'Code of the problem.', examples: ['VAL_PAYLOAD'] }),
    pointer: text({ doc: 'JSON pointer to the wrong value in the payload.', examples: ['/text'] }).matches(/^(?:\/|$)/),
  }),
});

const connect = object('Connects a WebSocket client. Expects status 101 unless `expect` says another.', {
  client: text({ doc: 'Name of the client in this case.', examples: ['screen'] }).required(),
  uid: text({ doc: 'Its `uid`. A token must have it in the claim `id`.', examples: ['screen-1'] }),
  resource: text({
    doc: 'The token is made for the guard of this resource. Default: the first guard with claims.',
    refers: { symbol: 'resource' },
  }),
  as: createCaller(),
});

const step = object('A step.', {
  request,
  connect,
  receive: text({
    doc: 'A WebSocket client that receives a message. `expect.body` is the message: `action` and `data`.',
    examples: ['screen'],
  }),
  disconnect: text({ doc: 'A WebSocket client that closes its connection.', examples: ['screen'] }),
  wait: numeric({
    doc: 'Time that passes. Schedules and delayed jobs that become due run at their instants.',
    unit: 'seconds',
    examples: [3600],
  }).min(0),
  insert: createRows('Rows that another program inserts.', false),
  update: record(
    list(
      object('A change of rows.', {
        where: createRow('Columns of the rows, as in `expect`. `{}`: all rows.', true).required(),
        set: createRow('Their new values.', false).required(),
      }),
      { doc: 'Changes.' },
    ),
    {
      doc: 'Rows that another program changes. Without such a row, the step fails.',
      complete: { source: 'model' },
      examples: [{ notes: [{ where: { id: '1' }, set: { text: 'b' } }] }],
    },
  ),
  delete: createRows('Rows that another program deletes. Without such a row, the step fails.'),
  run: text({
    doc: 'Runs background work.',
    enumDocs: {
      jobs: 'All jobs that are due, with their retries.',
      schedules: 'Every schedule once, whenever it is due.',
    },
  }).oneOf(['jobs', 'schedules']),
  expect: response,
  save: record(text({ doc: 'A path in the body.', examples: ['id'] }), {
    doc: 'Names for values of the body. Later steps read them with `$SAVED.name`.',
    examples: [{ note: 'id' }],
  }),
});

const test = object('A case.', {
  id: text({ doc: 'Name of the case, as a sentence.', examples: ['adds a note'] }).required(),
  given: createGiven(),
  steps: list(step, {
    doc: 'What is done.',
    itemLabel: 'this step',
    form: '[{"request": {"resource": "..."}}]',
  }).required(),
  expect: object('What there is after the last step.', {
    tables: createRows('All rows of these tables, in any order, each with the columns written.'),
    jobs: list(expectValue(null, 'A job: its `resource`, its `state`, its `code`, its `retries`.'), {
      doc: 'The jobs that wait or are dead, in any order.',
      examples: [[{ resource: 'mail-01', state: 'waiting' }]],
    }),
    calls: list(expectValue(null, 'A call: its `method`, `url`, `headers`, `body`.'), {
      doc: 'All calls to services, in their order.',
      examples: [[{ method: 'POST', body: { amount: 5 } }]],
    }),
    messages: list(expectValue(null, 'A message: its `action`, `data`, and `to`.'), {
      doc: 'All messages to WebSocket clients, in their order.',
      examples: [[{ action: 'changed', to: { uids: ['1'] } }]],
    }),
    files: list(expectedFile, {
      doc: 'All files in the storage, in any order, each with the fields written.',
      itemLabel: 'this file',
      examples: [[{ key: { $pattern: '^photos/' }, path: 'photo.png' }]],
    }),
    unchanged: flag({ doc: 'Other tables have the rows of `given`, and the storage its files.', default: false }),
  }),
});

export const testFile = shape({
  id: text({ doc: 'Name of the group.', examples: ['notes'] }).required(),
  given: createGiven(),
  cases: list(test, {
    doc: 'The cases. Each begins with what is given, and nothing else.',
    itemLabel: 'this case',
    form: '[{"id": "...", "steps": [...]}]',
  }).required(),
});
