/** The extension in a real VS Code, in a folder that is never trusted: in a full run, since an editor takes its time. */
import { isDeep } from '../support/sample.js';
import { describeExtension } from '../support/extension-suite.js';

if (isDeep('editor'))
  describe('the extension, in a real VS Code that does not trust the folder', () => describeExtension(false));
