/** Bundles to be debugged: what `.vscode/launch.json` builds before it opens an editor with the extension. */
import { bundle } from './bundle.js';

await bundle({ debug: true });
