/** The `lintel/runtime` entry point for plugin authors: the runtime half of the contract, and the kernel for embedding. */
export type { MigrationOutline, MigrationProgress, MigrationStep } from '../contract/migration.js';
export { defineRuntime, type Health, type Log, type PluginRuntime, type RuntimeContext } from '../contract/plugin.js';
export { createFault, Fault } from '../contract/fault.js';
export { done, type Reply } from '../contract/reply.js';
export type { Registrar } from '../contract/hooks.js';
export type { Route, RouteReply, RouteRequest } from '../contract/route.js';
export type { Requester } from '../contract/requester.js';
export { createLimiter, type Limiter } from '../contract/limiter.js';
export { clock } from '../language/project/clock.js';
export { readConstantText } from '../contract/constant-text.js';
export { ActionPhase, ResourcePhase, Stage } from '../contract/slot.js';
export type { Execute, Frame, Invocation, ModePlan, PlanTools } from '../contract/plan.js';
export type { Reader, Step, Unit, UploadedFile } from '../contract/plan.js';
export { createKernel, type Kernel } from './runtime/kernel.js';
export { loadProject } from '../plugins/distribution.js';
export type { RowSource } from '../contract/row-source.js';
export { listen } from './http/server.js';
