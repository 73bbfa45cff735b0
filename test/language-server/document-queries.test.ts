/** Completion and hover in queries of documents, over the protocol. */
import { expect } from 'chai';
import { HoverRequest } from 'vscode-languageserver-protocol';
import { FILTER_NAMES, STAGE_NAMES, UPDATE_NAMES } from '../../plugins/document-actions/shared/names.light.js';
import { STAGE_FLOWS } from '../../plugins/document-actions/shared/stages.light.js';
import {
  EXPRESSIONS,
  FIELD_OPERATORS,
  QUERY_OPERATORS,
  SEARCH_FIELDS,
  STAGE_MEMBERS,
  STAGES,
  UPDATE_OPERATORS,
} from '../../plugins/queries/mongo/operators.light.js';
import type { Editor } from '../support/editor-pair.js';
import { FILE, openSqlEditor } from '../support/editor-sql.js';

const wrapQuery = (query: string): string =>
  `{"id": "a-01", "resource": "a", "actionables": [{"id": 1, "mode": "QUERY", "mongo_query": ${query}}]}`;

describe('language server: queries of documents', () => {
  let editor: Editor;
  before(async () => (editor = await openSqlEditor()));
  after(() => editor.close());

  const at = (query: string) => editor.requestCompletion(FILE, wrapQuery(query));
  const FETCH = '"collection": "_notes", "action": "FETCH"';

  it('offers collections', async () => {
    const { labels, accept } = await at('{"collection": "‸" "action": "FETCH"}');
    expect(labels).to.include.members(['_users', '_notes']);
    expect(accept('_notes')).to.equal(wrapQuery('{"collection": "_notes", "action": "FETCH"}'));
  });

  it('offers fields of the model and operators as names of a filter', async () => {
    const { labels, accept } = await at(`{${FETCH}, "filter_predicate": {"text": "a", ‸}}`);
    expect(labels).to.include.members(['number', 'user_id', '$or']).and.not.to.include.members(['text', '$gte']);
    expect(accept('number')).to.equal(wrapQuery(`{${FETCH}, "filter_predicate": {"text": "a", "number": ‸}}`));
  });

  it('offers operators after a field, and queries inside lists', async () => {
    const condition = await at(`{${FETCH}, "filter_predicate": {"number": {"$g‸"}}}`);
    expect(condition.labels).to.include.members(['$gte', '$in']).and.not.to.include('number');
    expect(condition.accept('$gte')).to.equal(wrapQuery(`{${FETCH}, "filter_predicate": {"number": {"$gte": ‸}}}`));
    const inner = await at(`{${FETCH}, "filter_predicate": {"$or": [{"text": "a"}, {‸}]}}`);
    expect(inner.labels).to.include.members(['number', '$and']);
    expect((await at(`{${FETCH}, "filter_predicate": {"$text": {‸}}}`)).labels)
      .to.include('$search')
      .and.not.to.include('number');
  });

  it('offers operators of updates, stages, and fields after them', async () => {
    const update = '"collection": "_notes", "action": "UPDATE", "filter_predicate": {}, "update_predicate"';
    expect((await at(`{${update}: {‸}}`)).labels)
      .to.include('$set')
      .and.not.to.include('number');
    expect((await at(`{${update}: {"$set": {‸}}}`)).labels)
      .to.include('number')
      .and.not.to.include('$set');
    const stages = '"collection": "_notes", "action": "AGGREGATE", "pipeline"';
    expect((await at(`{${stages}: [{‸}]}`)).labels)
      .to.include('$match')
      .and.not.to.include('number');
    expect((await at(`{${stages}: [{"$match": {"number": {‸}}}]}`)).labels).to.include('$gte');
    expect((await at(`{${FETCH}, "sort": {‸}}`)).labels)
      .to.include('number')
      .and.not.to.include('$gte');
  });

  it('offers placeholders as values', async () => {
    const { labels, accept } = await at(`{${FETCH}, "filter_predicate": {"number": ‸}, "parameters": ["a", 1]}`);
    expect(labels).to.include.members(['$1', '$2', '$3']);
    expect(accept('$2')).to.equal(
      wrapQuery(`{${FETCH}, "filter_predicate": {"number": "$2"}, "parameters": ["a", 1]}`),
    );
    expect((await at(`{${FETCH}, "parameters": ["a", "‸"]}`)).labels).not.to.include('$1');
  });

  it('works while braces are open', async () => {
    const { accept } = await editor.requestCompletion(
      FILE,
      wrapQuery(`{${FETCH}, "filter_predicate": {"te‸`).slice(0, -3),
    );
    expect(accept('text')).to.include('"filter_predicate": {"text": ');
  });

  it('describes names, collections and placeholders', async () => {
    const hover = async (query: string): Promise<string> => {
      const { uri, caret, ranges } = editor.open(FILE, wrapQuery(query));
      const position = caret ?? { line: 0, character: 0 };
      const answer = await editor.client.sendRequest(HoverRequest.type, { textDocument: { uri }, position });
      expect(answer?.range).to.deep.equal(ranges.get('1'));
      return (answer?.contents as { value: string } | undefined)?.value ?? '';
    };
    const rest = '"parameters": [5]';
    expect(await hover(`{"collection": «1:"_us‸ers"», "action": "FETCH"}`)).to.include('People who signed up.');
    expect(await hover(`{${FETCH}, "filter_predicate": {«1:"user‸_id"»: "$1"}, ${rest}}`)).to.include('max length');
    expect(await hover(`{${FETCH}, "filter_predicate": {"number": {«1:"$g‸te"»: "$1"}}, ${rest}}`)).to.include(
      'Greater than or',
    );
    expect(await hover(`{${FETCH}, "filter_predicate": {"number": «1:"$‸1"»}, ${rest}}`)).to.include(
      '**$1** is the value `5`',
    );
  });

  it('documents every operator, and no other', () => {
    const listPlaceNames = ({ places }: typeof FILTER_NAMES, place: string): string[] =>
      Object.keys(places[place]?.words ?? {});
    expect(listPlaceNames(FILTER_NAMES, 'query')).to.have.members(Object.keys(QUERY_OPERATORS));
    expect(listPlaceNames(FILTER_NAMES, 'condition')).to.have.members(Object.keys(FIELD_OPERATORS));
    expect(listPlaceNames(FILTER_NAMES, 'search')).to.have.members(Object.keys(SEARCH_FIELDS));
    expect(listPlaceNames(UPDATE_NAMES, 'update')).to.have.members(Object.keys(UPDATE_OPERATORS));
    expect(listPlaceNames(STAGE_NAMES, 'stage')).to.have.members(Object.keys(STAGES));
    expect(Object.keys(STAGES)).to.include.members(Object.keys(STAGE_FLOWS));
    const expressions = ['expression', 'accumulator', 'window'].flatMap((place) => listPlaceNames(STAGE_NAMES, place));
    expect(new Set(expressions)).to.deep.equal(new Set([...Object.keys(EXPRESSIONS), 'window']));
    for (const [stage, members] of Object.entries(STAGE_MEMBERS))
      expect(listPlaceNames(STAGE_NAMES, STAGE_NAMES.places['stage']?.behind?.[stage] ?? ''), stage).to.have.members(
        Object.keys(members),
      );
  });
});
