/** Modules about embedded languages that both server bundles use; the extension ships them once. */
export * from '../language/strings/accessor.js';
export * from '../language/strings/cron-convert.js';
export * from '../language/strings/cron.js';
export * from '../language/strings/document-fields.js';
export * from '../language/strings/sample-secrets.js';
export * from '../language/strings/sql-placeholders.js';
export * from '../language/strings/sql-read.js';
export * from '../language/strings/sql-reserved.js';
export * from '../language/strings/sql-rewrite.js';
export * from '../language/strings/sql-tokens.js';
export * from '../language/strings/sql-types.js';
export * from '../language/strings/zone.js';
export * from '../contract/forms.js';
export * from '../contract/name-flow.js';
