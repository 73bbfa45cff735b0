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

  it('adds no problem when an item is accepted', () => {
    let count = 0;
    const all = listOfferPlaces(sets);
    for (const place of isDeepRun ? all : chooseCases('places of offers', all, 6)) {
      const set = sets.find(({ name }) => name === place.set);
      if (set === undefined) throw new Error(`no set ${place.set}`);
      const accepted = checker.acceptAll(set, place, (items) => (isDeepRun ? items : chooseCases('items', items, 8)));
      count += accepted.length;
      expect(accepted.filter(({ problems }) => problems.length > 0).map(describeOffer)).to.deep.equal([]);
    }
    expect(count).to.be.above(0);
  });

  it('finds a problem that an item adds', () => {
    const [place] = listOfferPlaces(sets).filter(({ set, sort }) => set === 'template' && sort === 'member');
    const set = sets.find(({ name }) => name === 'template');
    if (place === undefined || set === undefined) throw new Error('no place');
    const wrong = { label: 'wrong', textEdit: { range: checker.rangeAt(place), newText: '"invented": 1' } };
    const [accepted] = checker.acceptAll(set, place, () => [wrong]);
    expect(accepted?.problems.join()).to.match(/invented/);
  });
});

const describeOffer = ({ place, label, problems }: AcceptedOffer): unknown => ({
  at: `${place.set}: ${place.file}${place.pointer}, ${place.sort}`,
  label,
  problems,
});
