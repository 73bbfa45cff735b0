/** Specs of the reporters of `lintel test`. */
import { definePlugin } from '../../../contract/plugin.js';
import type { PluginSpec } from '../../../contract/plugin-spec.js';

const defineReporter = (name: string, summary: string): PluginSpec =>
  definePlugin({
    kind: 'reporter',
    name,
    since: '0.6.0',
    summary,
    facts: {},
    examples: [{ title: 'By name', json: { use: name } }],
    counterExamples: [
      { title: 'Unknown option', json: { use: name, colour: 'red' }, code: 'DEF_UNKNOWN_KEY', at: '/colour' },
    ],
  });

export const reporters: readonly PluginSpec[] = [
  defineReporter('pretty', 'A line for each case, and the lines of the test file around each failure. For readers.'),
  defineReporter('json', 'One JSON object with all cases. Positions are zero-based.'),
  defineReporter('junit', 'JUnit XML, as CI servers read it.'),
  defineReporter('tap', 'TAP 14: a line for each case, with failures as YAML.'),
];
