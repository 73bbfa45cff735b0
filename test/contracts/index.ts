/**
 * The package export `lintel/testing`: the contract suites of Lintel, for plugins of other authors. They need the packages chai and
 * fast-check, and mocha or `node --test`.
 */
import './test-runner.js';

export { cacheContract, type OpenCache } from './cache.contract.js';
export { dialectContract } from './dialect.contract.js';
export { documentStoreContract } from './document-store.contract.js';
export { testPlugins } from './plugins-contract.js';
export { queueContract } from './queue.contract.js';
export { relayContract } from './relay.contract.js';
export { schedulerContract, type OpenScheduler } from './scheduler.contract.js';
export { storageContract, type StorageBackend, type StorageSubject } from './storage.contract.js';
