/** Modules about embedded languages that both server bundles use; the extension ships them once. */
export * from '../language/strings/accessor.js';
export * from '../language/strings/cron-convert.js';
export * from '../language/strings/cron.js';
export * from '../language/strings/document-fields.js';
export * from '../language/strings/sample-secrets.js';
export * from '../plugins/queries/sql/text/placeholders.js';
export * from '../plugins/queries/sql/text/read.js';
export * from '../plugins/queries/sql/text/reserved.js';
export * from '../plugins/queries/sql/text/rewrite.js';
export * from '../plugins/queries/sql/text/tokens.js';
export * from '../plugins/queries/sql/text/types.js';
export * from '../language/strings/zone.js';
export * from '../contract/forms.js';
export * from '../contract/name-flow.js';
