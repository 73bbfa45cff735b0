/** Builds debug bundles; `.vscode/launch.json` runs it before it starts an editor with the extension. */
import { bundle } from './bundle.js';

await bundle({ debug: true });
