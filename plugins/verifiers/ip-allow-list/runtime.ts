/** The list is parsed once at load; an empty one is a startup error. */
import { defineRuntime } from '../../../contract/plugin.js';
import { verifier, type Verify } from '../kind.js';
import { throwSettingError, readSetting } from '../shared/settings.js';
import { compileAddressList } from './address-list.js';

export default defineRuntime(verifier, {
  create: () => ({
    needsBody: false,
    // Any web page in a browser at such an address can send requests from it.
    proof: () => 'ambient',
    sign: () => null,
    plan(options, tools): Verify {
      const judged = compileAddressList(readSetting(options, 'allowed_ips', tools));
      const isAllowed = typeof judged === 'string' ? throwSettingError('allowed_ips', tools, judged) : judged;
      return ({ remote }) => isAllowed(remote) || { refused: 'another address' };
    },
  }),
});
