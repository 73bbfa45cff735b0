/** Kind `feature`: fields of a resource or an actionable, compiled at load into steps with a phase. */
import type { Feature } from '../../contract/handles.js';
import { defineKind } from '../../contract/kind.js';
import { Slot } from '../../contract/slot.js';
import { EXPECTED, IN_ACTIONABLE, IN_RESOURCE } from './shared/forms.light.js';
import { wrapInActionable, wrapInResource } from '../shared/examples.light.js';

export type { Feature, FeaturePlace, FeaturePlan } from '../../contract/handles.js';

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
    validates: {
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
