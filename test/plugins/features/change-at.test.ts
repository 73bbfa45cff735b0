/** Paths through lists for `hashables` and `ciphers`: what is found is exactly what is changed. */
import { expect } from 'chai';
import { changeAt, findPathMatches } from '../../../plugins/features/shared/change-at.js';

const DATA = {
  name: 'a',
  boxes: [{ length: 1, tags: ['x', 'y'] }, { length: 2, tags: [] }, 'no box'],
  rows: [[{ name: 'b' }], [{ name: 'c' }]],
};

describe('paths through lists', () => {
  const applyChange = (path: string): unknown => changeAt(DATA, path.split('.'), () => '*');
  const listPlaces = (path: string) =>
    findPathMatches(DATA, path.split('.')).map(({ path: one, value }) => [one.join('.'), value]);

  it('lead to the field of each item, also of nested lists, and to an item by its index', () => {
    expect(listPlaces('rows.name')).to.deep.equal([
      ['rows.0.0.name', 'b'],
      ['rows.1.0.name', 'c'],
    ]);
    expect(listPlaces('boxes.1.length')).to.deep.equal([['boxes.1.length', 2]]);
    expect(applyChange('rows.name')).to.deep.equal({ ...DATA, rows: [[{ name: '*' }], [{ name: '*' }]] });
  });

  it('read a field named like a list property from the items', () => {
    expect(listPlaces('boxes.length')).to.deep.equal([
      ['boxes.0.length', 1],
      ['boxes.1.length', 2],
    ]);
    expect(applyChange('boxes.length')).to.deep.equal({
      ...DATA,
      boxes: [{ length: '*', tags: ['x', 'y'] }, { length: '*', tags: [] }, 'no box'],
    });
  });

  it('change what they find and nothing else; the rest is the same object', () => {
    for (const path of ['name', 'boxes.tags', 'boxes.0.tags.1', 'rows.0.name']) {
      const each = findPathMatches(DATA, path.split('.'));
      expect(each, path).not.to.deep.equal([]);
      const one = each.reduce<unknown>((data, { path: at }) => changeAt(data, at, () => '*'), DATA);
      expect(one, path).to.deep.equal(applyChange(path));
    }
    expect(changeAt(DATA, ['rows', 'name'], (value) => value)).to.equal(DATA);
  });

  it('lead nowhere through prototypes, plain values and missing values', () => {
    for (const path of [
      'constructor',
      'boxes.__proto__',
      'name.length',
      'boxes.9',
      'none.name',
      'boxes.-1',
      'rows.map',
    ]) {
      expect(listPlaces(path), path).to.deep.equal([]);
      expect(applyChange(path), path).to.equal(DATA);
    }
  });
});
