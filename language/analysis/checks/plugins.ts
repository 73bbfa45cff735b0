/** Runs the `check` of plugin specs and locates findings. */
import { locateInString } from '../../source/escapes.js';
import { findNode, type LocatedNode, toJsonObject } from '../../source/tree.js';
import { BootError } from '../../../contract/boot-error.js';
import type { CheckPlace, Finding, FindingEdit } from '../../../contract/plugin.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';
import { findNearest } from '../../source/suggest.js';
import type { Document } from '../../source/document.js';
import type { Outbound } from '../../../contract/outbound.js';
import { resolveEdits } from '../fix-factory.js';
import { createFix, type ReportOptions, type SourceLocation } from '../report.js';
import type { AccessorContext } from './accessors.js';
import type { PluginUsage } from '../facts.js';
import type { Definition } from '../model.js';
import { createVariableCause, findOnlyVariable } from '../only-variable.js';

/** Null if the field is ambiguous. */
export type ModelField = (name: string) => { readonly doc: Document; readonly node: LocatedNode } | null;

export interface FixContext {
  readonly modelField: ModelField;
  readonly mayEdit: (node: LocatedNode, edits: readonly FindingEdit[]) => boolean;
}

export type CheckedResource = Pick<CheckPlace, 'actions' | 'secrets' | 'isSecretName' | 'inPath'> & FixContext;

/** Of a place outside resources. */
export const NO_RESOURCE: CheckedResource = Object.freeze({
  actions: [],
  secrets: new Set<string>(),
  isSecretName: () => false,
  inPath: [],
  modelField: () => null,
  mayEdit: () => true,
});

export interface PluginSettings {
  readonly testing: boolean;
  readonly profile: string | null;
  readonly outbound: Outbound | null;
  /** True where the config enables connections. */
  readonly connections: boolean;
}

export interface PluginCheckContext extends AccessorContext {
  /** Null if no config is known. */
  readonly given: PluginSettings | null;
}

export function checkPlugins(
  { registry, report, env, given }: PluginCheckContext,
  definition: Pick<Definition, 'doc' | 'node' | 'finds'>,
  places: readonly PluginUsage[],
  { actions, secrets, isSecretName, inPath, modelField, mayEdit }: CheckedResource,
): void {
  const { doc, node } = definition;
  const root = toJsonObject(node);
  for (const place of places) {
    if (!place.sound) continue;
    const check = registry.plugins.get(place.plugin)?.check;
    if (check === undefined) continue;
    const findings = callCheck(place.plugin, check, {
      slot: place.slot,
      actions,
      secrets,
      isSecretName,
      inPath,
      get testing() {
        return given?.testing === true;
      },
      get profile() {
        return given?.profile ?? null;
      },
      get outbound() {
        return given?.outbound ?? null;
      },
      get connections() {
        return given?.connections ?? null;
      },
      value: place.value,
      holder: place.holder,
      root,
      nearest: findNearest,
      env: (name) => env?.get(name) ?? null,
      isSet: (name) => env?.has(name) !== false,
      facts: (kind, name) => registry.plugin(kind, name)?.facts,
    });
    for (const finding of findings) {
      const isOffered = mayEdit(place.node, finding.fix?.edits ?? []);
      const inModel = finding.fix?.modelField !== undefined;
      const fix = !isOffered
        ? {}
        : inModel
          ? createModelFix(modelField, finding.fix)
          : createFindingFix(doc, place, finding);
      const spot = locateFinding(doc, place, finding);
      const variable = findOnlyVariable(definition, spot, registry);
      const cause =
        variable === null ? {} : { cause: createVariableCause(finding.code, finding.params ?? {}, variable) };
      report.add(finding.code, spot, finding.params ?? {}, { ...fix, ...cause });
    }
  }
}

/** An exception is a bug of the plugin. */
function callCheck(name: string, check: NonNullable<PluginSpec['check']>, place: CheckPlace): readonly Finding[] {
  try {
    return check(place);
  } catch (error) {
    throw new BootError('PLG_SPEC', { name, what: `its check fails: ${String(error)}` }, error);
  }
}

function createFindingFix(doc: Document, place: PluginUsage, { fix, at, key }: Finding): Pick<ReportOptions, 'fix'> {
  if (fix === undefined) return {};
  // A key that the object already has would be duplicated.
  const around = key === true ? findNode(place.node, at.slice(0, at.lastIndexOf('/')))?.node : undefined;
  if (around?.members.some((one) => JSON.stringify(one.key) === fix.text) === true) return {};
  const { title, text, edits, asks } = fix;
  if (text !== undefined) return { fix: { title, text, ...(asks && { asks }) } };
  return createFix(title, resolveEdits(doc, place.node, edits ?? []) ?? [], asks);
}

/** The model may be in another file. */
function createModelFix(
  modelField: ModelField,
  { title, edits, asks, modelField: name = '' }: NonNullable<Finding['fix']>,
) {
  const field = modelField(name);
  if (field === null) return {};
  const { fix } = createFix(title, resolveEdits(field.doc, field.node, edits ?? []) ?? [], asks);
  return fix === undefined ? {} : { fix: { ...fix, doc: field.doc } };
}

function locateFinding(doc: Document, place: PluginUsage, finding: Finding): SourceLocation {
  const found = findNode(place.node, finding.at);
  if (found === null) return { doc, start: place.node.start, end: place.node.start + 1 };
  const { node, member } = found;
  if (finding.key === true && member !== null) return { doc, start: member.keyStart, end: member.keyEnd };
  if (finding.span === undefined || node.type !== 'string') return { doc, start: node.start, end: node.end };
  const [start, end] = finding.span;
  return locateInString(doc, node, { start, end });
}
