/** Real processes that are killed between any two groups of a job, with the queue in the database of the rows. */
import { testKills } from '../support/job-kill-tests.js';

testKills('postgres', 1);
