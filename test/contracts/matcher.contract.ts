/** Contract of matchers: accept any value without an exception, report differences, and change nothing. */
import { expect } from 'chai';
import type { Json } from '../../contract/json.js';
import type { Matcher, MatchTools } from '../../contract/matcher.js';
import { createMatch, show } from '../../cli/test/match.js';
import type { Plugins } from './kind-support.js';

const ACTUAL: readonly unknown[] = [undefined, null, true, 0, 1.5, '', 'text', [], ['a'], {}, { a: { b: [1] } }];

export function matcherContract(plugins: Plugins, name: string): void {
  describe(`matcher ${name}`, () => {
    let matcher: Matcher;
    const examples: Json[] = [];
    before(async () => {
      matcher = await plugins.handle<Matcher>('matcher', name);
      examples.push(...(plugins.project.registry.plugin('matcher', name)?.examples ?? []).map(({ json }) => json));
    });

    it('compares any value, and returns a pointer and a message for each difference', () => {
      const all = new Map([[name, matcher]]);
      for (const updates of [false, true]) {
        const tools: MatchTools = { match: createMatch(all, new Map(), updates), show, updates };
        for (const expected of examples) {
          for (const actual of ACTUAL) {
            const before = JSON.stringify([expected, actual]);
            for (const { pointer, message, update } of matcher.match(expected, actual, tools)) {
              expect(pointer).to.match(/^(\/.*)?$/);
              expect(message).to.match(/^expected /);
              expect(updates || update === undefined).to.equal(true);
            }
            expect(JSON.stringify([expected, actual])).to.equal(before);
          }
        }
      }
    });
  });
}
