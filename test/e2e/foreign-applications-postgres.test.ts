/** The applications of `foreign-applications.test.ts` on PostgreSQL. */
import { DATABASES } from '../support/kernel.js';
import { APPLICATIONS, describeApplication } from '../support/foreign-applications.js';

describe('applications of other authors, PostgreSQL', () => {
  for (const application of APPLICATIONS) describeApplication(application, DATABASES[1]!);
});
