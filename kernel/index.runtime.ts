/** What plugin authors import as `lintel/runtime`: the heavy half of the contract, and the kernel for embedding. */
export { defineRuntime } from './contract/plugin.js';
export type { MigrationOutline, MigrationProgress, MigrationStep } from './contract/migration.js';
export type { Health, Log, PluginRuntime, RuntimeContext } from './contract/plugin.js';
export { fault, Fault } from './contract/fault.js';
export { done } from './contract/hooks.js';
export type { Registrar, Reply } from './contract/hooks.js';
export { ActionPhase, ResourcePhase, Stage } from './contract/slot.js';
export type { Execute, Frame, ModePlan, PlanTools, Reader, Step, Unit } from './contract/plan.js';
export { createKernel, type Kernel } from './runtime/kernel.js';
export { loadProject } from './runtime/project.js';
export { listen } from './http/server.js';
