/** Paths through lists, as `hashables` and `ciphers` follow them: what is found is exactly what is changed. */
import { expect } from 'chai';
import { changeAt, placesAt } from '../../plugins/features/shared/change-at.js';

const DATA = {
  name: 'a',
  boxes: [{ length: 1, tags: ['x', 'y'] }, { length: 2, tags: [] }, 'no box'],
  rows: [[{ name: 'b' }], [{ name: 'c' }]],
};

describe('paths through lists', () => {
  const changed = (path: string): unknown => changeAt(DATA, path.split('.'), () => '*');
  const found = (path: string) => placesAt(DATA, path.split('.')).map(({ path: one, value }) => [one.join('.'), value]);

  it('lead to the field of each item, also of lists in lists, and to an item by its index', () => {
    expect(found('rows.name')).to.deep.equal([
      ['rows.0.0.name', 'b'],
      ['rows.1.0.name', 'c'],
    ]);
    expect(found('boxes.1.length')).to.deep.equal([['boxes.1.length', 2]]);
    expect(changed('rows.name')).to.deep.equal({ ...DATA, rows: [[{ name: '*' }], [{ name: '*' }]] });
  });

  it('a field called as a property of lists is that of the items', () => {
    expect(found('boxes.length')).to.deep.equal([
      ['boxes.0.length', 1],
      ['boxes.1.length', 2],
    ]);
    expect(changed('boxes.length')).to.deep.equal({
      ...DATA,
      boxes: [{ length: '*', tags: ['x', 'y'] }, { length: '*', tags: [] }, 'no box'],
    });
  });

  it('change what they find and nothing else; what stays is the same object', () => {
    for (const path of ['name', 'boxes.tags', 'boxes.0.tags.1', 'rows.0.name']) {
      const each = placesAt(DATA, path.split('.'));
      expect(each, path).not.to.deep.equal([]);
      const one = each.reduce<unknown>((data, { path: at }) => changeAt(data, at, () => '*'), DATA);
      expect(one, path).to.deep.equal(changed(path));
    }
    expect(changeAt(DATA, ['rows', 'name'], (value) => value)).to.equal(DATA);
  });

  it('lead nowhere through prototypes, plain values and what is not there', () => {
    for (const path of [
      'constructor',
      'boxes.__proto__',
      'name.length',
      'boxes.9',
      'none.name',
      'boxes.-1',
      'rows.map',
    ]) {
      expect(found(path), path).to.deep.equal([]);
      expect(changed(path), path).to.equal(DATA);
    }
  });
});
