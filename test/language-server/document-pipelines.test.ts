/**
 * Pipelines of document queries, over the protocol: the names after each stage, their descriptions and their origins.
 */
import { expect } from 'chai';
import { DefinitionRequest, HoverRequest, type Location } from 'vscode-languageserver-protocol';
import type { CompletionResult, Editor } from '../support/editor-pair.js';
import { FILE, openSqlEditor } from '../support/editor-sql.js';

const ORDERS = `{
  "owner": { "type": "String" },
  "price": { "type": "Number" },
  "items": { "type": "JSON_ARRAY" },
  "address": { "type": "JSON_OBJECT", "properties": { "city": { "type": "String" }, "geo": { "type": "JSON_OBJECT", "properties": { "lat": { "type": "Float" } } } } }
}
`;

const wrapStages = (stages: string): string =>
  `{"id": "a-01", "resource": "a", "actionables": [{"id": 1, "mode": "QUERY", "mongo_query": ` +
  `{"collection": "_orders", "action": "AGGREGATE", "pipeline": [${stages}]}}]}`;

describe('language server: pipelines of documents', () => {
  let editor: Editor;
  before(async () => (editor = await openSqlEditor({ 'definitions/_orders.model.json': ORDERS })));
  after(() => editor.close());

  const at = (stages: string): Promise<CompletionResult> => editor.requestCompletion(FILE, wrapStages(stages));
  const GROUP = '{"$group": {"_id": "$owner", "total": {"$sum": "$price"}}}';

  describe('after stages', () => {
    for (const [stages, there, gone] of [
      [`${GROUP}, {"$sort": {‸}}`, ['_id', 'total'], ['owner', 'price']],
      [`${GROUP}, {"$match": {‸}}`, ['_id', 'total', '$or'], ['owner']],
      ['{"$match": {"owner": "a"}}, {"$limit": 5}, {"$sort": {‸}}', ['owner', 'address.city'], ['total']],
      [
        '{"$project": {"owner": 1, "double": {"$add": ["$price", "$price"]}}}, {"$sort": {‸}}',
        ['owner', 'double'],
        ['price'],
      ],
      ['{"$project": {"price": 0}}, {"$sort": {‸}}', ['owner', 'items'], ['price']],
      ['{"$addFields": {"note.text": "x"}}, {"$sort": {‸}}', ['owner', 'note'], ['note.text']],
      ['{"$unset": ["price", "items"]}, {"$sort": {‸}}', ['owner'], ['price', 'items']],
      ['{"$unwind": {"path": "$items", "includeArrayIndex": "at"}}, {"$sort": {‸}}', ['items', 'at', 'owner'], []],
      [
        '{"$lookup": {"from": "_users", "as": "person"}}, {"$sort": {‸}}',
        ['person', 'person.email', 'owner'],
        ['email'],
      ],
      ['{"$sortByCount": "$owner"}, {"$sort": {‸}}', ['_id', 'count'], ['owner']],
      [
        '{"$bucket": {"groupBy": "$price", "boundaries": [0, 9], "output": {"sum": {"$sum": 1}}}}, {"$sort": {‸}}',
        ['_id', 'sum'],
        ['owner', 'count'],
      ],
      ['{"$count": "many"}, {"$sort": {‸}}', ['many'], ['owner', '_id']],
      ['{"$facet": {"cheap": [{"$match": {"price": 1}}], "dear": []}}, {"$sort": {‸}}', ['cheap', 'dear'], ['price']],
      ['{"$facet": {"cheap": [{"$project": {"owner": 1}}, {"$sort": {‸}}]}}', ['owner'], ['price']],
      ['{"$lookup": {"from": "_users", "pipeline": [{"$match": {‸}}], "as": "p"}}', ['email', 'fullName'], ['price']],
      ['{"$unionWith": {"coll": "_users", "pipeline": [{"$sort": {‸}}]}}', ['email'], ['price']],
      ['{"$setWindowFields": {"output": {"rank": {"$rank": {}}}}}, {"$sort": {‸}}', ['rank', 'owner'], []],
      ['{"$replaceWith": "$address"}, {"$sort": {‸}}', [], ['owner', 'city']],
    ] as const) {
      it(stages, async () => {
        const { labels } = await at(stages);
        expect(labels).to.include.members([...there]);
        for (const name of gone) expect(labels).not.to.include(name);
      });
    }

    it('is accepted as a name', async () => {
      expect((await at(`${GROUP}, {"$sort": {"to‸"}}`)).accept('total')).to.equal(
        wrapStages(`${GROUP}, {"$sort": {"total": ‸}}`),
      );
    });

    it('works while braces are open', async () => {
      const open = wrapStages(`${GROUP}, {"$sort": {"to‸`).slice(0, -5);
      expect((await editor.requestCompletion(FILE, open)).labels)
        .to.include('total')
        .and.not.to.include('price');
    });
  });

  describe('paths in expressions', () => {
    it('of the model, and into its objects', async () => {
      const { labels, accept } = await at('{"$group": {"_id": "$‸"}}');
      expect(labels).to.include.members(['$owner', '$address.city', '$address.geo.lat']);
      expect(accept('$address.city')).to.equal(wrapStages('{"$group": {"_id": "$address.city"}}'));
    });

    it('in accumulators, lists and named arguments', async () => {
      for (const stage of [
        '{"$group": {"_id": null, "total": {"$sum": "$pr‸"}}}',
        '{"$project": {"total": {"$add": [1, "$pr‸"]}}}',
        '{"$addFields": {"total": {"$cond": {"if": "$pr‸", "then": 1, "else": 2}}}}',
        '{"$match": {"$expr": {"$gt": ["$pr‸", 1]}}}',
        '{"$unwind": "$pr‸"}',
        '{"$unwind": {"path": "$pr‸"}}',
      ]) {
        const { labels, accept } = await at(stage);
        expect(labels, stage).to.include('$price');
        expect(accept('$price')).to.equal(wrapStages(stage.replace('$pr‸', '$price')));
      }
    });

    it('of names that a stage creates', async () => {
      const { labels } = await at(`${GROUP}, {"$project": {"double": {"$add": ["$‸"]}}}`);
      expect(labels).to.include('$total').and.not.to.include('$price');
    });

    it('not where a string is a value', async () => {
      expect((await at('{"$match": {"owner": "$‸"}}')).labels).not.to.include('$price');
      expect((await at('{"$project": {"x": {"$literal": "$‸"}}}')).labels).not.to.include('$price');
    });
  });

  describe('names, collections and operators', () => {
    it('names of fields as texts', async () => {
      expect((await at('{"$unset": "pr‸"}')).accept('price')).to.equal(wrapStages('{"$unset": "price"}'));
      const lookup = '{"$lookup": {"from": "_users", "localField": "ow‸", "foreignField": "x", "as": "p"}}';
      expect((await at(lookup)).accept('owner')).to.equal(wrapStages(lookup.replace('ow‸', 'owner')));
      const foreign = '{"$lookup": {"from": "_users", "localField": "owner", "foreignField": "em‸", "as": "p"}}';
      expect((await at(foreign)).accept('email')).to.equal(wrapStages(foreign.replace('em‸', 'email')));
      expect((await at(foreign)).labels).not.to.include('price');
    });

    it('collections', async () => {
      for (const stage of [
        '{"$lookup": {"from": "_us‸"}}',
        '{"$unionWith": "_us‸"}',
        '{"$unionWith": {"coll": "_us‸"}}',
      ])
        expect((await at(stage)).accept('_users')).to.equal(wrapStages(stage.replace('_us‸', '_users')));
    });

    it('operators where they are allowed', async () => {
      const group = await at('{"$group": {"_id": null, "total": {"$s‸"}}}');
      expect(group.labels).to.include.members(['$sum', '$push']).and.not.to.include.members(['$concat', '$rank']);
      expect(group.accept('$sum')).to.equal(wrapStages('{"$group": {"_id": null, "total": {"$sum": ‸}}}'));
      expect((await at('{"$project": {"x": {"$‸"}}}')).labels)
        .to.include('$concat')
        .and.not.to.include('$push');
      expect((await at('{"$project": {"x": {"$add": [{"$‸"}]}}}')).labels).to.include('$multiply');
      expect((await at('{"$setWindowFields": {"output": {"x": {"$‸"}}}}')).labels).to.include.members([
        '$rank',
        'window',
      ]);
      expect((await at('{"$group": {‸}}')).labels)
        .to.include('_id')
        .and.not.to.include('owner');
      expect((await at('{"$facet": {"a": [{"$‸"}]}}')).labels).to.include('$match');
    });
  });

  const createRequest = (stages: string) => {
    const { uri, caret, ranges } = editor.open(FILE, wrapStages(stages));
    return { params: { textDocument: { uri }, position: caret ?? { line: 0, character: 0 } }, ranges };
  };

  describe('hover', () => {
    const requestHoverText = async (stages: string): Promise<string> => {
      const { params, ranges } = createRequest(stages);
      const answer = await editor.client.sendRequest(HoverRequest.type, params);
      if (ranges.has('1')) expect(answer?.range).to.deep.equal(ranges.get('1'));
      return (answer?.contents as { value: string } | undefined)?.value ?? '';
    };

    it('describes operators, paths, and names that stages create', async () => {
      expect(await requestHoverText('{"$group": {"_id": null, "total": {«1:"$s‸um"»: 1}}}')).to.include('counts');
      expect(await requestHoverText('{"$project": {"x": {«1:"$con‸cat"»: []}}}')).to.include('concatena');
      expect(await requestHoverText('{"$group": {"_id": «1:"$own‸er"»}}'))
        .to.include('`owner`')
        .and.include('`_orders`');
      expect(await requestHoverText('{"$group": {"_id": «1:"$address.ci‸ty"»}}'))
        .to.include('`address.city`')
        .and.include('String');
      expect(await requestHoverText(`${GROUP}, {"$sort": {«1:"tot‸al"»: 1}}`)).to.equal(
        '**`total`**, made by `$group`',
      );
      expect(await requestHoverText(`${GROUP}, {"$project": {"x": «1:"$tot‸al"»}}`)).to.equal(
        '**`total`**, made by `$group`',
      );
      expect(await requestHoverText('{"$lookup": {"from": «1:"_us‸ers"», "as": "p"}}')).to.include(
        'People who signed up.',
      );
    });

    it('shows nothing for unknown variables, values and names', async () => {
      expect(await requestHoverText('{"$group": {"_id": "$$RO‸OT"}}')).not.to.include('made by');
      expect(await requestHoverText('{"$match": {"owner": "$pri‸ce"}}')).not.to.include('_orders');
      expect(await requestHoverText('{"$replaceWith": "$address"}, {"$project": {"x": "$own‸er"}}')).not.to.include(
        '_orders',
      );
    });
  });

  describe('definition', () => {
    const requestDefinition = async (stages: string) => {
      const { params, ranges } = createRequest(stages);
      const answer = (await editor.client.sendRequest(DefinitionRequest.type, params)) as Location[] | null;
      return { first: answer?.[0], ranges };
    };

    it('of a path is the field of the model', async () => {
      const { first } = await requestDefinition('{"$group": {"_id": "$pri‸ce"}}');
      expect(first?.uri).to.equal(editor.toUri('definitions/_orders.model.json'));
      expect(first?.range).to.deep.equal({ start: { line: 2, character: 2 }, end: { line: 2, character: 9 } });
      const inner = await requestDefinition('{"$group": {"_id": "$address.ci‸ty"}}');
      expect(inner.first?.range.start).to.deep.equal({ line: 4, character: ORDERS.split('\n')[4]?.indexOf('"city"') });
    });

    it('of a name that a stage creates is the stage', async () => {
      for (const stages of [
        '{"$group": {"_id": 1, «1:"total"»: {"$sum": 1}}}, {"$sort": {"tot‸al": 1}}',
        '{"$group": {"_id": 1, «1:"total"»: {"$sum": 1}}}, {"$project": {"x": "$tot‸al"}}',
        '{"$lookup": {"from": "_users", "as": «1:"total"»}}, {"$unwind": "$tot‸al"}',
        '{"$bucket": {"groupBy": "$price", "boundaries": [], "output": {«1:"total"»: {}}}}, {"$unwind": "$tot‸al"}',
      ]) {
        const { first, ranges } = await requestDefinition(stages);
        expect(first?.uri, stages).to.equal(editor.toUri(FILE));
        expect(first?.range, stages).to.deep.equal(ranges.get('1'));
      }
    });

    it('of a join is the other collection', async () => {
      const { first } = await requestDefinition('{"$lookup": {"from": "_us‸ers", "as": "p"}}');
      expect(first?.uri).to.equal(editor.toUri('definitions/_users.model.json'));
      const field = await requestDefinition('{"$lookup": {"from": "_users", "foreignField": "em‸ail", "as": "p"}}');
      expect(field.first?.uri).to.equal(editor.toUri('definitions/_users.model.json'));
    });
  });
});
