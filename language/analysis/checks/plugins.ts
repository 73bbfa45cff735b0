/** Runs the `check` of plugin specs for every usage and locates the findings. */
import { spotInString } from '../../source/escapes.js';
import { nodeAt, type LocatedNode, objectOf } from '../../source/tree.js';
import { BootError } from '../../../contract/boot-error.js';
import type { CheckPlace, Finding, FindingEdit, PluginSpec } from '../../../contract/plugin.js';
import { nearest } from '../../source/suggest.js';
import type { Document } from '../../source/document.js';
import type { Given } from '../config.js';
import { changesOf, repair } from '../repairs.js';
import type { ReportOptions, Spot } from '../report.js';
import type { AccessorContext } from './accessors.js';
import type { PluginPlace } from '../finds.js';

/** Null if the field is ambiguous. */
export type ModelField = (name: string) => { readonly doc: Document; readonly node: LocatedNode } | null;

export interface Fixing {
  readonly modelField: ModelField;
  readonly mayEdit: (node: LocatedNode, edits: readonly FindingEdit[]) => boolean;
}

export function checkPlugins(
  { registry, report, env, given }: AccessorContext & { readonly given: Given | null },
  { doc, node }: { readonly doc: Document; readonly node: LocatedNode },
  places: readonly PluginPlace[],
  { actions, secrets, inPath, modelField, mayEdit }: Pick<CheckPlace, 'actions' | 'secrets' | 'inPath'> & Fixing,
): void {
  const root = objectOf(node);
  for (const place of places) {
    if (!place.sound) continue;
    const check = registry.plugins.get(place.plugin)?.check;
    if (check === undefined) continue;
    const findings = callCheck(place.plugin, check, {
      slot: place.slot,
      actions,
      secrets,
      inPath,
      testing: given?.testing === true,
      profile: given?.profile ?? null,
      value: place.value,
      holder: place.holder,
      root,
      outbound: given?.outbound ?? null,
      connections: given?.websocket.enabled ?? null,
      nearest,
      env: (name) => env?.get(name) ?? null,
      isSet: (name) => env?.has(name) !== false,
      facts: (kind, name) => registry.plugin(kind, name)?.facts,
    });
    for (const finding of findings) {
      const isOffered = mayEdit(place.node, finding.fix?.edits ?? []);
      const inModel = finding.fix?.modelField !== undefined;
      const fix = !isOffered ? {} : inModel ? fixIn(modelField, finding.fix) : fixOf(doc, place, finding);
      report.add(finding.code, spotOf(doc, place, finding), finding.params ?? {}, fix);
    }
  }
}

/** An exception is a bug of the plugin and is reported as an error in its spec. */
function callCheck(name: string, check: NonNullable<PluginSpec['check']>, place: CheckPlace): readonly Finding[] {
  try {
    return check(place);
  } catch (error) {
    throw new BootError('PLG_SPEC', { name, what: `its check fails: ${String(error)}` }, error);
  }
}

function fixOf(doc: Document, place: PluginPlace, { fix, at, key }: Finding): Pick<ReportOptions, 'fix'> {
  if (fix === undefined) return {};
  // A key that the object already has would be duplicated.
  const around = key === true ? nodeAt(place.node, at.slice(0, at.lastIndexOf('/')))?.node : undefined;
  if (around?.members.some((one) => JSON.stringify(one.key) === fix.text) === true) return {};
  const { title, text, edits, asks } = fix;
  if (text !== undefined) return { fix: { title, text, ...(asks && { asks }) } };
  return repair(title, changesOf(doc, place.node, edits ?? []) ?? [], asks);
}

/** The model may be in another file. */
function fixIn(modelField: ModelField, { title, edits, asks, modelField: name = '' }: NonNullable<Finding['fix']>) {
  const field = modelField(name);
  if (field === null) return {};
  const { fix } = repair(title, changesOf(field.doc, field.node, edits ?? []) ?? [], asks);
  return fix === undefined ? {} : { fix: { ...fix, doc: field.doc } };
}

function spotOf(doc: Document, place: PluginPlace, finding: Finding): Spot {
  const found = nodeAt(place.node, finding.at);
  if (found === null) return { doc, start: place.node.start, end: place.node.start + 1 };
  const { node, member } = found;
  if (finding.key === true && member !== null) return { doc, start: member.keyStart, end: member.keyEnd };
  if (finding.span === undefined || node.type !== 'string') return { doc, start: node.start, end: node.end };
  const [start, end] = finding.span;
  return spotInString(doc, node, { start, end });
}
