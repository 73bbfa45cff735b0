/**
 * Deferred work, schedules and socket clients in the OpenAPI document. Nothing is served here; suites with the option
 * `validated` compare responses with the document.
 */
import { expect } from 'chai';
import type { JsonObject } from '../../../contract/json.js';
import { listDocumentErrors } from '../../support/openapi.js';
import {
  getAnswerSchema,
  getAtPointer,
  getErrorCodes,
  resolveRefs,
  createOpenApiDocument,
  listStatuses,
} from '../../support/openapi-documents.js';
import { toRef } from '../../../language/export/openapi/names.js';

const resource = (id: string, actionables: readonly object[], rest: object = {}): object => ({
  id,
  resource: id,
  actionables: actionables.map((action, index) => ({ id: index + 1, ...action })),
  ...rest,
});
const value = (result: object, rest: object = {}): object => ({ mode: 'RETURN', value: result, ...rest });
const NIGHTLY = { cron_job: { execution_interval: '0 0 3 * * *' } };
const LATER = { run_in_background: true };
const documented = (definitions: readonly object[], config: object = {}): JsonObject =>
  createOpenApiDocument({ 'a.json': definitions }, config);
const ACCEPTED = {
  type: 'object',
  properties: {
    accepted: { type: 'boolean', const: true },
    id: { type: 'string', description: 'Id of the work; that of the request.' },
  },
  required: ['accepted', 'id'],
};

describe('OpenAPI of deferred work', () => {
  it('is a 202 with an id, without a result', async () => {
    const document = documented([resource('a', [value({ secret: 1 }, LATER)])]);
    expect(listStatuses(document, '/a')).to.include('202').and.not.include('200');
    const answer = getAtPointer(
      document,
      'paths',
      '/a',
      'post',
      'responses',
      '202',
      'content',
      'application/json',
      'schema',
    );
    expect(resolveRefs(document, answer)).to.deep.equal(ACCEPTED);
    expect(await listDocumentErrors(document)).to.equal('');
  });

  it('lists rejections for an unavailable or a full queue', () => {
    const document = documented([resource('a', [value({})], { queue: { retries: 2 } })]);
    expect(getErrorCodes(document, '/a', 503)).to.include('JOB_AWAY');
    expect(getErrorCodes(document, '/a', 413)).to.include('JOB_TOO_LARGE');
    expect(JSON.stringify(document)).not.to.contain('JOB_LOST').and.not.to.contain('JOB_FAILED');
  });

  it('describes the normal response if something runs in the foreground', () => {
    const document = documented([resource('a', [value({ now: 1 }), value({ later: 1 }, LATER)])]);
    expect(listStatuses(document, '/a')).to.include('200').and.not.include('202');
    expect(
      Object.keys(getAtPointer(getAnswerSchema(document, '/a') as JsonObject, 'properties') as object),
    ).to.deep.equal(['now']);
  });
});

describe('OpenAPI of schedules', () => {
  it('omits schedules, which clients cannot call', () => {
    const document = documented([resource('night', [value({}, NIGHTLY)]), resource('day', [value({ n: 1 })])]);
    expect(Object.keys(document['paths'] as object)).to.deep.equal(['/day']);
  });

  it('describes the same responses for requests to the resource', () => {
    const document = documented([resource('a', [value({ n: 1 }), value({ clock: 1 }, NIGHTLY)])]);
    expect(
      Object.keys(getAtPointer(getAnswerSchema(document, '/a') as JsonObject, 'properties') as object),
    ).to.deep.equal(['n']);
  });
});

describe('OpenAPI of socket clients', () => {
  const defineBroadcast = (action: string, to: object): object => ({ broadcast_websocket_message: { action, ...to } });
  const ROOM = { broadcast_type: 'ROOM', broadcast_to_room: '$PAYLOAD.room' };
  const DEFINITIONS = [
    resource('news', [value({ n: 1 }, defineBroadcast('news', { broadcast_type: 'ALL' }))]),
    resource('talk', [
      value(
        { n: 1 },
        { ...defineBroadcast('news', ROOM), payload_validation: [{ field: { room: { type: 'STRING' } } }] },
      ),
    ]),
    resource('night', [value({ n: 1 }, { ...defineBroadcast('night', { broadcast_type: 'ALL' }), ...NIGHTLY })]),
    resource('watch', [
      value({ n: 1 }, { join_room: '$PAYLOAD.room', payload_validation: [{ field: { room: { type: 'STRING' } } }] }),
    ]),
    resource('files', [{ mode: 'UPLOAD', uploads: { max_file_uploads: 1 } }]),
    resource('hook', [value({ n: 1 })], {
      webhook: {
        verifications: { HeaderTokenVerifier: { header_key: '$HEADER.x-token', secret_key: '$ENV.EXAMPLE_KEY' } },
      },
    }),
  ];
  const extension = (config: object): unknown => documented(DEFINITIONS, config)['x-lintel-websocket'];

  it('is absent if sockets are disabled', () => {
    expect(extension({})).to.equal(undefined);
    expect(getAtPointer(documented(DEFINITIONS), 'info', 'description')).not.to.contain('WebSocket');
  });

  it('lists what clients can call and which events they receive, including those of scheduled runs', () => {
    const reported = extension({ websocket: { enabled: true, path: '/live' } }) as JsonObject;
    expect(reported['path']).to.equal('/live');
    expect(reported['calls']).to.deep.equal(['news', 'talk', 'watch']);
    expect(reported['events']).to.deep.equal([
      { action: 'news', to: ['ALL', 'ROOM'], resources: ['news', 'talk'], data: toRef('NewsEvent') },
      { action: 'night', to: ['ALL'], resources: ['night'], data: toRef('NightEvent') },
    ]);
    expect(reported['joins']).to.deep.equal([{ resource: 'watch', rooms: ['…'], events: ['news'] }]);
    expect(getAtPointer(reported['query'], '0')).to.include({ name: 'uid', required: false });
    expect(
      getAtPointer((extension({ websocket: { enabled: true, force_uid: true } }) as JsonObject)['query'], '0'),
    ).to.include({
      required: true,
    });
  });

  it('is included in the description, in a valid document', async () => {
    const document = documented(DEFINITIONS, { websocket: { enabled: true } });
    expect(getAtPointer(document, 'info', 'description'))
      .to.contain('WebSocket at `/ws`')
      .and.contain('Over HTTP alone: `files`, `hook`.')
      .and.contain('- `news` (ALL, ROOM), sent by `news`, `talk`');
    expect(resolveRefs(document, toRef('NewsEvent'))).to.include({ type: 'object' });
    expect(await listDocumentErrors(document)).to.equal('');
  });
});
