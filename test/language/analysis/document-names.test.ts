/** Secret fields of documents: values hashed before they are written, at any place of a query, under any name. */
import { expect } from 'chai';
import { analyseFiles } from '../../../language/analysis/analyse.js';
import { createBuiltinRegistry, FIXTURE_ENV } from '../../support/fixtures.js';

const registry = createBuiltinRegistry();
const MODEL = {
  file: '_user.json',
  text: JSON.stringify({
    id: { type: 'String', primary_key: true },
    email: { type: 'String' },
    pass: { type: 'String' },
  }),
};

/** Secret fields of the model of a sign-up with this query. */
function secretsBehind(query: object): string[] {
  const action = {
    id: 1,
    mode: 'QUERY',
    returnables: ['id'],
    payload_validation: [{ field: { password: { type: 'STRING', max_length: 72 } } }],
    hashables: [{ property: 'password', algorithm: 'BCRYPT' }],
    mongo_query: { collection: 'users', ...query },
  };
  const text = JSON.stringify({ id: 'sign-up', resource: 'sign-up', actionables: [action] });
  const { models } = analyseFiles([MODEL, { file: 'a.json', text }], registry, { env: FIXTURE_ENV });
  return [...(models[0]?.secrets ?? [])];
}

describe('front end: names in document queries', () => {
  it('mark a field as secret if a hashed value is inserted into it', () => {
    const document = { id: '$PAYLOAD.id', email: '$PAYLOAD.email', pass: '$PAYLOAD.password' };
    expect(secretsBehind({ action: 'INSERT', document }))
      .to.include('pass')
      .and.not.to.include('email');
  });

  it('... also through a parameter, below operators, and at the end of a path', () => {
    const filter = { filter_predicate: { id: '$PAYLOAD.id' } };
    const set = { update_predicate: { $set: { pass: '$1' } }, parameters: ['password'] };
    expect(secretsBehind({ action: 'UPDATE', ...filter, ...set }))
      .to.include('pass')
      .and.not.to.include('id');
    const deep = { update_predicate: { $push: { 'login.old': { $each: ['$PAYLOAD.password'] } } } };
    expect(secretsBehind({ action: 'UPDATE', ...filter, ...deep })).to.include('old');
  });
});
