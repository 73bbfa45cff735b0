/** The bundle of the server that an editor brings along: started as a process, it serves. */
import { main } from './main.js';
import { everything } from './registry-source.js';

/** Put in by the bundler: the version of the package. */
declare const LINTEL_VERSION: string;

main(LINTEL_VERSION);
// While the editor begins to speak: what is opened first need not wait for it.
everything();
