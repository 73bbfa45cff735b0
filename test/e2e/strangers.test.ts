/**
 * Applications as other teams write them for the earlier system, with its environment's forms, served unmodified under its
 * profile: each endpoint answers as its client, a page of another origin, expects.
 */
import { DATABASES } from '../support/kernel.js';
import { APPLICATIONS, describeApplication } from '../support/foreign-applications.js';

describe('applications of others', () => {
  for (const application of APPLICATIONS) describeApplication(application, DATABASES[0]!);
});
