/** The contract of storages over every one of the distribution, each on a real store. */
import { s3Subject } from '../support/s3-storage.js';
import { storageContract } from './storage.contract.js';

storageContract({ name: 'minio', open: s3Subject });
