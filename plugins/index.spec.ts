/** The specs of all built-in plugins. Must not import runtimes: editors load this file. */
import type { PluginSpec } from '../contract/plugin-spec.js';
import datetime from './accessors/datetime/spec.js';
import env from './accessors/env/spec.js';
import generator from './accessors/generator/spec.js';
import header from './accessors/header/spec.js';
import payload from './accessors/payload/spec.js';
import protectedClaim from './accessors/protected/spec.js';
import multipartForm from './body-formats/multipart-form/spec.js';
import memoryCache from './caches/memory/spec.js';
import redisCache from './caches/redis/spec.js';
import aes256Gcm from './ciphers/aes-256-gcm/spec.js';
import chaCha20Poly1305 from './ciphers/chacha20-poly1305/spec.js';
import xChaCha20Poly1305 from './ciphers/xchacha20-poly1305/spec.js';
import xSalsa20Poly1305 from './ciphers/xsalsa20-poly1305/spec.js';
import ascon128a from './ciphers/ascon-128a/spec.js';
import base64 from './encodings/base64/spec.js';
import base64Url from './encodings/base64url/spec.js';
import hex from './encodings/hex/spec.js';
import base32 from './encodings/base32/spec.js';
import base58 from './encodings/base58/spec.js';
import mysql from './dialects/mysql/spec.js';
import pglite from './dialects/pglite/spec.js';
import postgres from './dialects/postgres/spec.js';
import aggregateDocuments from './document-actions/aggregate/spec.js';
import countDocuments from './document-actions/count/spec.js';
import deleteDocuments from './document-actions/delete/spec.js';
import fetchOneDocument from './document-actions/fetch-one/spec.js';
import fetchDocuments from './document-actions/fetch/spec.js';
import insertDocument from './document-actions/insert/spec.js';
import updateDocuments from './document-actions/update/spec.js';
import embeddedDocuments from './document-stores/embedded/spec.js';
import mongodb from './document-stores/mongodb/spec.js';
import bare from './envelopes/bare/spec.js';
import successMessageData from './envelopes/success-message-data/spec.js';
import cacheable from './features/cacheable/spec.js';
import ciphers from './features/ciphers/spec.js';
import combineReturnedResults from './features/combine-returned-results/spec.js';
import dependsOn from './features/depends-on/spec.js';
import hashables from './features/hashables/spec.js';
import generate from './features/generate/spec.js';
import maintenance from './features/maintenance/spec.js';
import mustReturnValue from './features/must-return-value/spec.js';
import payloadValidation from './features/payload-validation/spec.js';
import protectedFeature from './features/protected/spec.js';
import queueFeature from './features/queue/spec.js';
import returnables from './features/returnables/spec.js';
import runInBackground from './features/run-in-background/spec.js';
import tokenize from './features/tokenize/spec.js';
import transaction from './features/transaction/spec.js';
import verifyHashables from './features/verify-hashables/spec.js';
import booleanField from './field-types/boolean/spec.js';
import dateTimeField from './field-types/date-time/spec.js';
import floatField from './field-types/float/spec.js';
import jsonArrayField from './field-types/json-array/spec.js';
import jsonObjectField from './field-types/json-object/spec.js';
import numberField from './field-types/number/spec.js';
import stringField from './field-types/string/spec.js';
import bson from './generators/bson/spec.js';
import cuid from './generators/cuid/spec.js';
import cuid2 from './generators/cuid2/spec.js';
import ksuid from './generators/ksuid/spec.js';
import nanoid from './generators/nanoid/spec.js';
import shortuuid from './generators/shortuuid/spec.js';
import slugid from './generators/slugid/spec.js';
import ulid from './generators/ulid/spec.js';
import uniqid from './generators/uniqid/spec.js';
import uuid from './generators/uuid/spec.js';
import argon2 from './hashers/argon2/spec.js';
import bcrypt from './hashers/bcrypt/spec.js';
import koa from './middlewares/koa/spec.js';
import accessLog from './observers/access-log/spec.js';
import webConsole from './observers/console/spec.js';
import openTelemetry from './observers/opentelemetry/spec.js';
import prometheus from './observers/prometheus/spec.js';
import serverTiming from './observers/server-timing/spec.js';
import httpRequest from './modes/http-request/spec.js';
import queryMode from './modes/query/spec.js';
import returnMode from './modes/return/spec.js';
import uploadMode from './modes/upload/spec.js';
import localDisk from './storages/local-disk/spec.js';
import mongo from './queries/mongo/spec.js';
import sql from './queries/sql/spec.js';
import embeddedQueue from './queues/embedded/spec.js';
import mongoQueue from './queues/mongo/spec.js';
import postgresQueue from './queues/postgres/spec.js';
import redisQueue from './queues/redis/spec.js';
import array from './validation-types/array/spec.js';
import minio from './storages/minio/spec.js';
import jwt from './tokens/jwt/spec.js';
import paseto from './tokens/paseto/spec.js';
import email from './validation-types/email/spec.js';
import number from './validation-types/number/spec.js';
import object from './validation-types/object/spec.js';
import string from './validation-types/string/spec.js';
import stringArray from './validation-types/string-array/spec.js';
import webhook from './features/webhook/spec.js';
import allStrategy from './strategies/all/spec.js';
import anyStrategy from './strategies/any/spec.js';
import headerToken from './verifiers/header-token/spec.js';
import hmacSignature from './verifiers/hmac-signature/spec.js';
import ipAllowList from './verifiers/ip-allow-list/spec.js';
import jwtVerifier from './verifiers/jwt/spec.js';
import publicKeySignature from './verifiers/public-key-signature/spec.js';
import invalidateTokenize from './features/invalidate-tokenize/spec.js';
import rateLimit from './features/rate-limit/spec.js';
import cronJob from './features/cron-job/spec.js';
import embeddedScheduler from './schedulers/embedded/spec.js';
import mongoScheduler from './schedulers/mongo/spec.js';
import postgresScheduler from './schedulers/postgres/spec.js';
import redisScheduler from './schedulers/redis/spec.js';
import broadcastToAll from './broadcasts/all/spec.js';
import broadcastToMany from './broadcasts/bulk/spec.js';
import broadcastToRoom from './broadcasts/room/spec.js';
import broadcastToOne from './broadcasts/single/spec.js';
import broadcastMessage from './features/broadcast-websocket-message/spec.js';
import joinRoom from './features/join-room/spec.js';
import leaveRoom from './features/leave-room/spec.js';
import localRelay from './relays/local/spec.js';
import redisRelay from './relays/redis/spec.js';
import deferredWork from './triggers/deferred-work/spec.js';
import scheduledWork from './triggers/scheduled-work/spec.js';
import websocket from './triggers/websocket/spec.js';
import { matchers } from './matchers/values/spec.js';
import { reporters } from './reporters/texts/spec.js';

export const specs: readonly PluginSpec[] = [
  datetime,
  env,
  generator,
  header,
  payload,
  protectedClaim,
  multipartForm,
  memoryCache,
  redisCache,
  aes256Gcm,
  chaCha20Poly1305,
  xChaCha20Poly1305,
  xSalsa20Poly1305,
  ascon128a,
  base64,
  base64Url,
  hex,
  base32,
  base58,
  mysql,
  pglite,
  postgres,
  fetchDocuments,
  insertDocument,
  aggregateDocuments,
  countDocuments,
  deleteDocuments,
  fetchOneDocument,
  updateDocuments,
  embeddedDocuments,
  mongodb,
  bare,
  successMessageData,
  cacheable,
  ciphers,
  combineReturnedResults,
  dependsOn,
  hashables,
  generate,
  maintenance,
  mustReturnValue,
  payloadValidation,
  protectedFeature,
  queueFeature,
  returnables,
  runInBackground,
  tokenize,
  transaction,
  verifyHashables,
  booleanField,
  dateTimeField,
  floatField,
  jsonArrayField,
  jsonObjectField,
  numberField,
  stringField,
  bson,
  cuid,
  cuid2,
  ksuid,
  nanoid,
  shortuuid,
  slugid,
  ulid,
  uniqid,
  uuid,
  argon2,
  bcrypt,
  httpRequest,
  queryMode,
  returnMode,
  uploadMode,
  localDisk,
  mongo,
  sql,
  embeddedQueue,
  mongoQueue,
  postgresQueue,
  redisQueue,
  koa,
  accessLog,
  webConsole,
  minio,
  openTelemetry,
  prometheus,
  serverTiming,
  array,
  jwt,
  paseto,
  email,
  number,
  object,
  string,
  stringArray,
  webhook,
  allStrategy,
  anyStrategy,
  headerToken,
  hmacSignature,
  ipAllowList,
  jwtVerifier,
  publicKeySignature,
  invalidateTokenize,
  rateLimit,
  cronJob,
  embeddedScheduler,
  mongoScheduler,
  postgresScheduler,
  redisScheduler,
  broadcastToAll,
  broadcastToMany,
  broadcastToRoom,
  broadcastToOne,
  broadcastMessage,
  joinRoom,
  leaveRoom,
  localRelay,
  redisRelay,
  deferredWork,
  scheduledWork,
  websocket,
  ...matchers,
  ...reporters,
];
