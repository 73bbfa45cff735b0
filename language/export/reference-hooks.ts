/** Generates the reference page of the hooks: order, arguments, permitted results, examples. */
import { HOOK_DOCS, HOOK_NAMES, type HookDoc } from '../../contract/hook-docs.js';
import { joinBlocks, formatCode, formatTable } from './markdown.js';

const MAY: Readonly<Record<HookDoc['may'], (doc: HookDoc) => string>> = {
  look: () => 'It observes; its return value is ignored.',
  change: ({ given: [first = ''] }) => `It returns ${formatCode(first)}, changed or unchanged.`,
  answer: () => 'It returns nothing, or `done(value)`, which skips everything after it.',
};

export function createHooksPage(): string {
  const rows = HOOK_NAMES.map((name) => {
    const { when, given, may } = HOOK_DOCS[name];
    return [`[${formatCode(name)}](#${name})`, when, given.map(formatCode).join(', '), may];
  });
  const sections = HOOK_NAMES.map((name) => {
    const doc = HOOK_DOCS[name];
    return joinBlocks(
      `## ${formatCode(name)}`,
      `${doc.when}.`,
      `A tap is given ${doc.given.map(formatCode).join(' and ')}. ${MAY[doc.may](doc)} ${
        doc.sync === true ? 'It must not wait.' : 'It may wait: a promise is awaited.'
      }`,
      doc.more ?? '',
      `\`\`\`ts\n${doc.example}\n\`\`\``,
    );
  });
  return joinBlocks(
    '# Hooks',
    'A hook is for behaviour that every request has, or the whole process. What depends on a field of a definition is a ' +
      'step that a plugin compiles instead. A plugin taps hooks in the `register` of its runtime:',
    '```ts\nregister(hooks) {\n  hooks.tap(name, tap, options);\n}\n```',
    formatTable(
      ['option', 'meaning'],
      [
        ['`stage`', 'A number that orders the taps; `Stage` has names for some. Without it, `Stage.NORMAL`.'],
        ['`before`', 'Ids of plugins whose taps run after this one.'],
        ['`mode`', 'For `execute` only: the mode whose execution is tapped.'],
      ],
    ),
    'A hook that does not exist, a tap after the start, and a value other than the ones below are errors. What a tap throws ' +
      'fails the request, with the name of the plugin in the log. A hook without taps costs nothing.',
    formatTable(['hook', 'when', 'a tap is given', 'it may'], rows),
    sections,
  );
}
