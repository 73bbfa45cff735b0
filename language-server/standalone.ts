/** Entry point of the bundled server. */
import { main } from './main.js';
import { getBuiltinRegistry } from './registry-source.js';

/** Defined by the bundler. */
declare const LINTEL_VERSION: string;

main(LINTEL_VERSION);
// Builds the registry in advance, while the editor initializes.
getBuiltinRegistry();
