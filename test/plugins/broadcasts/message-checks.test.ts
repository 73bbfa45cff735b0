/** Checks of messages and uploads in definitions: recipients, visible fields, file types, and removal. */
import { expect } from 'chai';
import type { Json } from '../../../contract/json.js';
import type { CheckAction, CheckPlace } from '../../../contract/plugin.js';
import all from '../../../plugins/broadcasts/all/spec.js';
import bulk from '../../../plugins/broadcasts/bulk/spec.js';
import room from '../../../plugins/broadcasts/room/spec.js';
import single from '../../../plugins/broadcasts/single/spec.js';
import broadcast from '../../../plugins/features/broadcast-websocket-message/spec.js';
import upload from '../../../plugins/modes/upload/spec.js';
import {
  createCheckAction,
  listFixTexts,
  listFindings,
  type DefinitionObject,
} from '../../support/feature-findings.js';

describe('checks of messages and uploads', () => {
  it('require recipients that can exist', () => {
    expect(listFindings(all, { broadcast_to: 'a' })).to.deep.equal(['BRC_ALL /broadcast_to']);
    expect(listFindings(all, {})).to.deep.equal([]);
    for (const to of [null, true, '', {}, [], '$PAYLOAD', ['a'], ['a', 'b'], [7]])
      expect(listFindings(single, { broadcast_to: to }), JSON.stringify(to)).to.deep.equal([
        'BRC_NOBODY /broadcast_to',
      ]);
    for (const to of ['a', 7, '$PAYLOAD.a'])
      expect(listFindings(single, { broadcast_to: to })).not.to.include('BRC_NOBODY /broadcast_to');
    for (const to of [7, null, '$PAYLOAD', 'a, b', '$PAYLOAD.a,$PAYLOAD.b'])
      expect(listFindings(bulk, { broadcast_to: to }), JSON.stringify(to)).to.include('BRC_NO_LIST /broadcast_to');
    expect(listFindings(bulk, { broadcast_to: '$PAYLOAD.a' })).to.deep.equal([]);
    expect(listFindings(bulk, { broadcast_to: ['$PAYLOAD.a', null] })).to.deep.equal(['BRC_NO_LIST /broadcast_to/1']);
    const rooms = (count: number): Json => Array.from({ length: count }, (_, n) => `r${n}`);
    for (const to of ['a', 7, rooms(1), rooms(100), undefined])
      expect(listFindings(room, { ...(to !== undefined && { broadcast_to_room: to }) })).to.deep.equal([]);
    for (const to of [null, '', false, {}, [], rooms(101)])
      expect(listFindings(room, { broadcast_to_room: to })).to.deep.equal(['BRC_NO_ROOM /broadcast_to_room']);
    expect(listFindings(room, { broadcast_to_room: ['a', ''] })).to.deep.equal(['BRC_NO_ROOM /broadcast_to_room/1']);
  });

  it('describe what a message shows', () => {
    const AT = '/broadcast_websocket_message';
    const of = (
      one: Partial<CheckAction>,
      root: DefinitionObject = {},
      rest: DefinitionObject = {},
      place: Partial<CheckPlace> = {},
    ): readonly string[] => {
      const holder = { id: 1, broadcast_websocket_message: { action: 'a' }, ...rest };
      return listFindings(broadcast, holder, {
        root: { actionables: [holder], ...root },
        actions: [createCheckAction(0, one)],
        ...place,
      });
    };
    const stored = { models: ['users'] };
    expect(of(stored)).to.deep.equal([`BRC_EVERYTHING ${AT}`]);
    for (const one of [{}, { ...stored, answers: [] }]) expect(of(one)).to.deep.equal([]);
    expect(of(stored, {}, { returnables: ['id'] })).to.deep.equal([]);
    expect(of({ answers: ['id'] }, { returnables: ['x', 'idx'] })).to.deep.equal([`BRC_NOTHING ${AT}`]);
    expect(of({ answers: ['id'] }, { returnables: ['x', 'id.y'] })).to.deep.equal([]);
    for (const answers of [null, []]) expect(of({ answers }, { returnables: ['x'] })).to.deep.equal([]);
    expect(of({}, {}, {}, { connections: false })).to.deep.equal([`BRC_OFF ${AT}`]);
    for (const connections of [true, null]) expect(of({}, {}, {}, { connections })).to.deep.equal([]);
    expect(of({}, {}, { broadcast_websocket_message: { action: '$PAYLOAD.a' } })).to.deep.equal([
      `BRC_NAME ${AT}/action`,
    ]);
  });

  it('describe which files an upload accepts, how many, and which callers may remove them', () => {
    const of = (uploads: DefinitionObject, root: DefinitionObject = {}): readonly string[] =>
      listFindings(upload, { uploads }, { root });
    const some = { allowed_mimetypes: ['image/*'] };
    expect(of({})).to.deep.equal(['UPL_ANY_TYPE /mode']);
    expect(of(some)).to.deep.equal([]);
    expect(of({ allowed_mimetypes: ['image/png', 'png', '*/png'] })).to.deep.equal(
      [1, 2].map((n) => `UPL_MEDIA_TYPE /uploads/allowed_mimetypes/${n}`),
    );
    for (const size of [1, 5, 511])
      expect(of({ ...some, max_upload_file_size: size })).to.deep.equal(['UPL_SMALL /uploads/max_upload_file_size']);
    for (const size of [0, 512, 1000, '5']) expect(of({ ...some, max_upload_file_size: size })).to.deep.equal([]);
    expect(of({ ...some, upload_folder: '/a' })).to.deep.equal(['UPL_FOLDER /uploads/upload_folder']);
    const removing = (folder?: string, root: DefinitionObject = {}): readonly string[] =>
      of({ delete_files: true, ...(folder !== undefined && { upload_folder: folder }) }, root);
    expect(removing()).to.deep.equal(['UPL_DELETE_FOLDER /uploads/delete_files']);
    for (const root of ['PAYLOAD', 'GENERATOR'])
      expect(removing(`a/$${root}.b`)).to.deep.equal(['UPL_DELETE_FOLDER /uploads/upload_folder']);
    for (const folder of ['a', 'a/$ENV.B'])
      expect(removing(folder)).to.deep.equal(['UPL_DELETE_SHARED /uploads/upload_folder']);
    expect(removing('a/$PROTECTED.id')).to.deep.equal([]);
  });

  it('suggest the intended value, if it is certain', () => {
    for (const [to, text] of [
      [['a'], '"a"'],
      [['a', 'b'], null],
      [[7], null],
      ['$PAYLOAD', null],
    ] as const)
      expect(listFixTexts(single, { broadcast_to: to }), JSON.stringify(to)).to.deep.equal([text]);
    for (const [to, text] of [
      ['a, b;c|d', '["a", "b", "c", "d"]'],
      ['a $PAYLOAD.b', '["a", "$PAYLOAD.b"]'],
      [7, null],
    ] as const)
      expect(listFixTexts(bulk, { broadcast_to: to }), String(to)).to.include(text);
    const some = { allowed_mimetypes: ['image/*'] };
    expect(listFixTexts(upload, { uploads: { ...some, max_upload_file_size: 5 } })).to.deep.equal(['5242880']);
    const types = ['png', '.jpg', 'images', 'nothing'];
    expect(listFixTexts(upload, { uploads: { allowed_mimetypes: types } })).to.deep.equal([
      '"image/png"',
      '"image/jpeg"',
      '"image/*"',
      null,
    ]);
  });
});
