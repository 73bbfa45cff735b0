/** The list is read once, at load; an empty one stops the start. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { verifier, type Verify } from '../../kinds/verifier.js';
import { refuseSetting, settingOf } from '../shared/settings.js';
import { addressList } from './allowed.js';

export default defineRuntime(verifier, {
  create: () => ({
    needsBody: false,
    // A page that a browser at such an address shows has it call from there.
    proof: () => 'ambient',
    plan(options, tools): Verify {
      const judged = addressList(settingOf(options, 'allowed_ips', tools));
      const isAllowed = typeof judged === 'string' ? refuseSetting('allowed_ips', tools, judged) : judged;
      return ({ remote }) => isAllowed(remote) || { refused: 'another address' };
    },
  }),
});
