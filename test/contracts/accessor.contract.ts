/** Contract of accessors: accept the tail in their facts, be constant only if they are, never return secrets. */
import { createEnvFacts } from '../../language/project/environment.js';
import { expect } from 'chai';
import { analyseFiles } from '../../language/analysis/analyse.js';
import { createTestInvocation } from '../support/invocation.js';
import type { Frame, PlanTools } from '../../contract/plan.js';
import { listAccessors } from '../../language/strings/accessor.js';
import { compilePath } from '../../language/strings/path.js';
import type { Accessor } from '../../plugins/accessors/kind.js';
import { ENV, type Plugins } from './kind-support.js';

/** Tails by shape; which are right depends on the fact. */
const TAILS = { none: '', one: '.abc', two: '.abc.def' } as const;
const RIGHT: Readonly<Record<string, readonly (keyof typeof TAILS)[]>> = {
  none: ['none'],
  name: ['one'],
  env: ['one'],
  path: ['one', 'two'],
  'optional-path': ['none', 'one', 'two'],
  'declared:claim': ['one', 'two'],
};

const GUARDED = {
  tokenize: { type: 'JWT', encryption_key: '$ENV.EXAMPLE_KEY' },
  protected: { extract_claims: ['abc', 'id'] },
};

function createFrame(): Frame {
  const payload = { abc: { def: 1 }, email: 'ada@example.com', items: [{ sku: 'a' }] };
  const headers: Record<string, string> = { abc: 'a', 'x-tenant': 't' };
  const made: Frame = {
    invocation: createTestInvocation(payload, {
      headers,
      header: (name) => (headers[name] === undefined ? [] : [headers[name]]),
    }),
    payload,
    received: payload,
    claims: { abc: { def: 1 }, id: 'user-1' },
    slots: [],
    results: [],
    headers: {},
    lastingHeaders: null,
    now: () => '2026-01-02T03:04:05.678Z',
    unit: null,
    stopped: false,
    afterCommit: (work) => work(),
    committedTo: -1,
    forkFrame: () => made,
  };
  return made;
}

export function accessorContract(plugins: Plugins, name: string): void {
  describe(`accessor $${name}`, () => {
    const { registry } = plugins.project;
    const spec = registry.plugin('accessor', name);
    const tail = String(plugins.fact('accessor', name, 'tail'));
    // Declared claims must exist: by the guard of the resource.
    const around = tail === 'declared:claim' ? GUARDED : {};
    const listErrorCodes = (value: unknown, mode: 'RETURN' | 'QUERY'): string[] => {
      const work = mode === 'RETURN' ? { value } : { sql_query: { query: 'SELECT $1', parameters: [value] } };
      const text = JSON.stringify({ id: 'a', resource: 'a', ...around, actionables: [{ id: 1, mode, ...work }] });
      const { problems } = analyseFiles([{ file: 'a.json', text }], registry, {
        env: createEnvFacts({ abc: 'example', ...ENV }),
      });
      return problems.filter(({ severity }) => severity === 'error').map(({ code }) => code);
    };

    if (tail.startsWith('plugin:')) {
      it('accepts the name of a plugin and nothing else', () => {
        for (const known of registry.names(tail.slice('plugin:'.length))) {
          expect(listErrorCodes(`$${name}.${known}`, 'QUERY')).to.deep.equal([]);
          expect(listErrorCodes(`$${name}.${known}.more`, 'QUERY')).to.deep.equal(['ACC_TAIL']);
        }
        expect(listErrorCodes(`$${name}`, 'QUERY')).to.deep.equal(['ACC_TAIL']);
        expect(listErrorCodes(`$${name}.abc`, 'QUERY')).to.deep.equal(['DEF_UNKNOWN_PLUGIN']);
      });
    } else {
      for (const [shape, text] of Object.entries(TAILS)) {
        const right = RIGHT[tail]?.includes(shape as keyof typeof TAILS);
        it(`${right === true ? 'accepts' : 'rejects'} $${name}${text}`, () => {
          expect(RIGHT, 'an unknown form of tail').to.have.property(tail);
          expect(listErrorCodes(`$${name}${text}`, 'QUERY')).to.deep.equal(right === true ? [] : ['ACC_TAIL']);
        });
      }
    }

    const isSecret = plugins.fact('accessor', name, 'secret') === true;
    it(`${isSecret ? 'is not allowed' : 'is allowed'} where a value is sent`, () => {
      for (const { json } of spec?.examples ?? []) {
        expect(listErrorCodes(json, 'RETURN')).to.deep.equal(isSecret ? ['ACC_NOT_HERE'] : []);
      }
    });

    it('compiles its examples to readers; a constant one needs no request', async () => {
      const handle = await plugins.handle<Accessor>('accessor', name);
      for (const { json } of spec?.examples ?? []) {
        const [part] = listAccessors(json as string);
        const compiled = handle.compile(part?.tail ?? [], await createTools(plugins));
        const read = (): unknown => compiled.read(compiled.constant ? (undefined as never) : createFrame());
        expect(read()).not.to.equal(undefined);
      }
    });

    it('returns the same value twice in one request', async () => {
      const handle = await plugins.handle<Accessor>('accessor', name);
      const [part] = listAccessors(spec?.examples[0]?.json as string);
      const { read } = handle.compile(part?.tail ?? [], await createTools(plugins));
      const one = createFrame();
      expect(read(one)).to.deep.equal(read(one));
    });
  });
}

/** Only what accessors may use; the rest is omitted on purpose. */
async function createTools(plugins: Plugins): Promise<PlanTools> {
  const handles = new Map<string, unknown>();
  for (const name of plugins.names('generator')) handles.set(name, await plugins.handle('generator', name));
  let slots = 0;
  return {
    place: 'contract',
    slot: () => null,
    payloadField: () => null,
    recordRequiredPath: () => undefined,
    allocateSlot: () => slots++,
    claim: (path: readonly string[]) => {
      const read = compilePath(path);
      return ({ claims }: Frame) => read(claims);
    },
    resolve: (_kind: unknown, name: string) => handles.get(name),
  } as unknown as PlanTools;
}
