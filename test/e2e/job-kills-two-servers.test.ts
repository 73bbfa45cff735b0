/** Real processes that are killed between any two groups of a job, with the queue on another server than the rows. */
import { testKills } from '../support/job-kill-tests.js';

testKills('redis', 1);
