/**
 * Completions cause no problems: each item, accepted with its defaults in valid definitions, adds no error and no
 * warning, except for a value that is missing at the caret. A deep run covers all positions of the fixtures, the
 * sample, the template and the gallery, otherwise a sample of them.
 */
import { expect } from 'chai';
import { listOfferPlaces, createOfferChecker, type AcceptedOffer, type OfferChecker } from '../support/offers.js';
import { listOfferSets, OFFER_ENV } from '../support/offer-sets.js';
import { chooseCases, isDeepRun } from '../support/sample.js';

const sets = listOfferSets();

describe('language server: accepted completions', () => {
  let checker: OfferChecker;
  before(async () => (checker = await createOfferChecker(OFFER_ENV)));
  after(() => checker.close());

  it('starts with valid sets', () => {
    for (const set of chooseCases('sound sets', sets, 2)) expect(checker.check(set), set.name).to.deep.equal([]);
  });

  it('adds no problem when an item is accepted', async () => {
    const all = listOfferPlaces(sets);
    for (const place of isDeepRun ? all : chooseCases('places of offers', all, 6)) {
      const set = sets.find(({ name }) => name === place.set);
      if (set === undefined) throw new Error(`no set ${place.set}`);
      const accepted = await checker.acceptAll(set, place, (items) =>
        isDeepRun ? items : chooseCases('items', items, 8),
      );
      expect(accepted.filter(({ problems }) => problems.length > 0).map(describeOffer)).to.deep.equal([]);
    }
  });

  it('offers a whole resource that reads a model and returns its fields', async () => {
    const set = sets.find(({ name }) => name === 'template');
    const file = 'definitions/resources/notes.resource.json';
    const place = listOfferPlaces(sets).find(
      (one) => one.set === 'template' && one.file === file && one.pointer === '',
    );
    if (place === undefined || set === undefined) throw new Error('no place');
    const accepted = await checker.acceptAll(set, place);
    const [query] = accepted.filter(({ label }) => label === 'resource: QUERY: sql_query');
    expect(query?.text).to.match(/"query": "SELECT id, user_id[^]*"returnables": \["id", "user_id"/);
    expect(query?.problems).to.deep.equal([]);
  });

  it('offers no setting of the config that makes a definition wrong', async () => {
    const message = { broadcast_type: 'ALL', action: 'said' };
    const action = { id: 1, mode: 'RETURN', value: 1, broadcast_websocket_message: message };
    const files = {
      'lintel.config.json': { websocket: { enabled: true } },
      'definitions/a.json': { id: 'a', resource: 'a', actionables: [action], returnables: ['x'] },
    };
    const set = {
      name: 'messages',
      files: Object.entries(files).map(([file, value]) => ({ file, text: JSON.stringify(value) })),
    };
    const places = listOfferPlaces([set]).filter(({ file, sort }) => file === 'lintel.config.json' && sort === 'value');
    const accepted: AcceptedOffer[] = [];
    // Variables of the others would enable WebSocket.
    const own = await createOfferChecker({});
    for (const place of places) accepted.push(...(await own.acceptAll(set, place)));
    await own.close();
    expect(accepted.filter(({ problems }) => problems.length > 0).map(describeOffer)).to.deep.equal([]);
    const labels = accepted.filter(({ place }) => place.pointer.endsWith('enabled')).map(({ label }) => label);
    expect(labels).to.deep.equal(['true']);
  });

  it('finds a problem that an item adds', async () => {
    const [place] = listOfferPlaces(sets).filter(({ set, sort }) => set === 'template' && sort === 'member');
    const set = sets.find(({ name }) => name === 'template');
    if (place === undefined || set === undefined) throw new Error('no place');
    const wrong = { label: 'wrong', textEdit: { range: checker.rangeAt(place), newText: '"invented": 1' } };
    const [accepted] = await checker.acceptAll(set, place, () => [wrong]);
    expect(accepted?.problems.join()).to.match(/invented/);
  });
});

const describeOffer = ({ place, label, problems }: AcceptedOffer): unknown => ({
  at: `${place.set}: ${place.file}${place.pointer}, ${place.sort}`,
  label,
  problems,
});
