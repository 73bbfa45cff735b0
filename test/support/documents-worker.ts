/** A process that writes documents until it is killed, into the given folder, and prints what was acknowledged. */
import pglite from '../../plugins/dialects/pglite/runtime.js';
import embedded from '../../plugins/document-stores/embedded/runtime.js';
import { openDialect } from '../contracts/dialect-open.js';
import { openStore } from '../contracts/document-store-support.js';

const sql = await openDialect(pglite, { path: 'data' }, process.argv[2] ?? '');
const { handle } = await openStore(embedded, { resolve: () => sql.handle as never });
for (let n = 0; ; n++) {
  await handle.insert('kept', [{ n, text: `text ${n}` }], null);
  if (n % 3 === 2) await handle.update('kept', { n: n - 1 }, { $set: { changed: true } }, { one: true }, null);
  process.stdout.write(`${n}\n`);
}
