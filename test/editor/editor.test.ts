/** The extension in a real VS Code, in a folder that is a stranger's at first and trusted then. */
import { describeExtension } from '../support/extension-suite.js';

describe('the extension, in a real VS Code', () => describeExtension(true));
