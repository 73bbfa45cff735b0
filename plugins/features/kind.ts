/**
 * Kind `feature`: fields of a resource or an actionable. Compiled at load into steps, each in a phase; no request checks whether
 * a feature is enabled.
 */
import type { Deferral, Schedule } from '../../contract/deferred.js';
import type { Json } from '../../contract/json.js';
import { defineKind } from '../../contract/kind.js';
import type { Identity, PlanTools, ProofSort, Step } from '../../contract/plan.js';
import { Slot } from '../../contract/slot.js';
import { EXPECTED, IN_ACTIONABLE, IN_RESOURCE } from './shared/forms.light.js';
import { wrapInActionable, wrapInResource } from '../shared/examples.light.js';

export interface FeaturePlace {
  readonly slot: string;
  readonly value: Readonly<Record<string, Json>>;
  /** The whole object, including fields of other plugins. */
  readonly holder: Readonly<Record<string, Json>>;
  /** JSON pointer of the object in its file. */
  readonly pointer: string;
}

export interface FeaturePlan {
  readonly steps: readonly Step[];
  /** Payload fields that the feature validates, for the table of endpoints. */
  readonly validates?: readonly string[];
  readonly sample?: Readonly<Record<string, Json>>;
  /** Short description of how the feature guards the resource. */
  readonly guard?: string;
  /**
   * What a guard identifies callers by. Without it, requests from other origins are rejected as for a resource without a guard.
   */
  readonly proof?: Exclude<ProofSort, 'none'>;
  /** Identifies the callers of connections, for targeted messages. */
  readonly identity?: Identity;
  /** Validates what only an HTTP request has, such as its bytes; messages of a connection are rejected. */
  readonly requestOnly?: true;
  /** The actionables of the resource share no transaction. */
  readonly alone?: true;
  /** This actionable shares no transaction with others and reads committed data. */
  readonly apart?: true;
  /** May reject valid payloads because of stored data, so a sample request may fail. */
  readonly presumes?: true;
  /** How the actionable is deferred; the `timing` of the spec states whether it is. */
  readonly defers?: Deferral;
  readonly schedule?: Pick<Schedule, 'expression' | 'zone'>;
  /** The feature creates the response even where no actionable runs. */
  readonly answers?: true;
  /** Dotted paths of the result that the feature decrypts for the caller; they are no longer secret. */
  readonly reveals?: readonly string[];
}

export interface Feature {
  plan(place: FeaturePlace, tools: PlanTools): FeaturePlan;
}

export const feature = defineKind<Feature>({
  kind: 'feature',
  title: 'Feature',
  summary: 'A field of a resource or of an actionable, with its behaviour.',
  slots: [Slot.RESOURCE, Slot.ACTIONABLE],
  select: { by: 'always' },
  expected: EXPECTED,
  mistaken: { [Slot.RESOURCE]: IN_RESOURCE, [Slot.ACTIONABLE]: IN_ACTIONABLE },
  facts: {
    applies: {
      doc: '`when-present`: planned where one of its fields is written; `always`: planned everywhere.',
      type: 'string',
      required: true,
      oneOf: ['when-present', 'always'],
    },
    keyVariable: {
      doc: 'Environment variable with a key that the plugin reads by this name.',
      type: 'string',
      required: false,
    },
    instead: {
      doc: 'Required fields of the object that may be left out where this feature is written.',
      type: 'list',
      required: false,
    },
    judges: {
      doc: 'Accepts or rejects each request; no response depends on the values it reads.',
      type: 'boolean',
      required: false,
    },
    guards: {
      doc: 'Rejects callers: `depends_on` of another resource is allowed only with the same guard.',
      type: 'boolean',
      required: false,
    },
    holds: {
      doc: 'Also runs when other resources depend on actionables of its resource. `requests`: once for each request; `work`: also for deferred and scheduled work of the resource.',
      type: 'string',
      required: false,
      oneOf: ['requests', 'work'],
    },
    joins: {
      doc: 'Name of the field with the rooms that a connection joins.',
      type: 'string',
      required: false,
    },
    rooms: {
      doc: 'Name of a field with rooms: a room that no resource joins is a warning.',
      type: 'string',
      required: false,
    },
    identifies: {
      doc: 'Identifies callers by claims that definitions can read: a write that reads none is a warning.',
      type: 'boolean',
      required: false,
    },
  },
  handle: ['plan'],
  host: (fragment, plugin) =>
    plugin.slots?.[Slot.ACTIONABLE] === undefined ? wrapInResource(fragment) : wrapInActionable(fragment),
});
