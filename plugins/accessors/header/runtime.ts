/** Reads request headers; `ip` is the client address, not a header. */
import { createFault } from '../../../contract/fault.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { accessor } from '../kind.js';

export default defineRuntime(accessor, {
  create: () => ({
    compile: ([written = '']) => {
      const name = written.toLowerCase();
      if (name === 'ip') return { constant: false, remote: true, read: (frame) => frame.invocation.remote };
      return {
        constant: false,
        header: name,
        read: ({ invocation: { headers } }) => {
          const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
          if (typeof value === 'string') return value;
          // Repeated headers are joined by commas; only `set-cookie` would be a list.
          throw createFault('ACC_UNRESOLVED', { name: `$HEADER.${written}` });
        },
      };
    },
  }),
});
