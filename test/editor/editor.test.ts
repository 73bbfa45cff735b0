/** The extension in a real VS Code, in a folder with files of another author that is trusted later. */
import { describeExtension } from '../support/extension-suite.js';

describe('the extension, in a real VS Code', () => describeExtension(true));
