/** Samples of requests and tests; bundled apart, because few sessions load it. */
export { createRequestShape } from '../language/export/openapi/request.js';
export { listTestMembers, listTestValues } from './completion/test-samples.js';
