/** Modules about embedded languages that both server bundles use; the extension ships them once. */
export * from '../kernel/language/accessor.js';
export * from '../kernel/language/cron-meant.js';
export * from '../kernel/language/cron.js';
export * from '../kernel/language/document-fields.js';
export * from '../kernel/language/sample-secrets.js';
export * from '../kernel/language/sql-placeholders.js';
export * from '../kernel/language/sql-read.js';
export * from '../kernel/language/sql-reserved.js';
export * from '../kernel/language/sql-rewrite.js';
export * from '../kernel/language/sql-tokens.js';
export * from '../kernel/language/sql-types.js';
export * from '../kernel/schema/forms.js';
export * from '../kernel/schema/name-flow.js';
