/** The spec of every plugin of the distribution. Light: an editor imports this file. */
import type { PluginSpec } from '../kernel/contract/plugin.js';
import datetime from './accessors/datetime/spec.js';
import env from './accessors/env/spec.js';
import generator from './accessors/generator/spec.js';
import header from './accessors/header/spec.js';
import payload from './accessors/payload/spec.js';
import protectedClaim from './accessors/protected/spec.js';
import pglite from './dialects/pglite/spec.js';
import postgres from './dialects/postgres/spec.js';
import bare from './envelopes/bare/spec.js';
import successMessageData from './envelopes/success-message-data/spec.js';
import combineReturnedResults from './features/combine-returned-results/spec.js';
import dependsOn from './features/depends-on/spec.js';
import maintenance from './features/maintenance/spec.js';
import mustReturnValue from './features/must-return-value/spec.js';
import payloadValidation from './features/payload-validation/spec.js';
import protectedFeature from './features/protected/spec.js';
import returnables from './features/returnables/spec.js';
import tokenize from './features/tokenize/spec.js';
import transaction from './features/transaction/spec.js';
import booleanField from './field-types/boolean/spec.js';
import dateTimeField from './field-types/date-time/spec.js';
import floatField from './field-types/float/spec.js';
import jsonArrayField from './field-types/json-array/spec.js';
import jsonObjectField from './field-types/json-object/spec.js';
import numberField from './field-types/number/spec.js';
import stringField from './field-types/string/spec.js';
import ulid from './generators/ulid/spec.js';
import uuid from './generators/uuid/spec.js';
import queryMode from './modes/query/spec.js';
import returnMode from './modes/return/spec.js';
import sql from './queries/sql/spec.js';
import jwt from './tokens/jwt/spec.js';
import paseto from './tokens/paseto/spec.js';
import email from './validation-types/email/spec.js';
import number from './validation-types/number/spec.js';
import string from './validation-types/string/spec.js';

export const specs: readonly PluginSpec[] = [
  datetime,
  env,
  generator,
  header,
  payload,
  protectedClaim,
  pglite,
  postgres,
  bare,
  successMessageData,
  combineReturnedResults,
  dependsOn,
  maintenance,
  mustReturnValue,
  payloadValidation,
  protectedFeature,
  returnables,
  tokenize,
  transaction,
  booleanField,
  dateTimeField,
  floatField,
  jsonArrayField,
  jsonObjectField,
  numberField,
  stringField,
  ulid,
  uuid,
  queryMode,
  returnMode,
  sql,
  jwt,
  paseto,
  email,
  number,
  string,
];
