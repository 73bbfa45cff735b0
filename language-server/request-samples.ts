/** Samples of requests and tests, and flows of values; bundled apart, because few sessions load it. */
export { createRequestShape } from '../language/export/openapi/request.js';
export { LEAVING } from '../language/export/value-exits.js';
export { traceColumn, traceName } from '../language/export/value-flow.js';
export { listTestMembers, listTestValues } from './completion/test-samples.js';
