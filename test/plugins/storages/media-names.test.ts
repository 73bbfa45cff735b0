/** Short names of media types that authors write in place of the type: the checker suggests the type. */
import { expect } from 'chai';
import { findTypeByShortName } from '../../../plugins/storages/shared/media.light.js';

describe('short names of media types', () => {
  it('are extensions, their plurals and groups; an extension that ends with an s is not a plural', () => {
    const known = {
      ...{ css: 'text/css', '.js': 'application/javascript', '*.ics': 'text/calendar', csv: 'text/csv' },
      ...{ png: 'image/png', PDFs: 'application/pdf', images: 'image/*', video: 'video/*', '*': '*/*' },
    };
    for (const [name, type] of Object.entries(known)) expect(findTypeByShortName(name), name).to.equal(type);
    for (const name of ['', 's', 'cs', 'nothing', 'constructor'])
      expect(findTypeByShortName(name), name).to.equal(null);
  });
});
