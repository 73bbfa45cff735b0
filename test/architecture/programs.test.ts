/**
 * The extension starts programs in one file, which first checks whether the workspace is trusted. Any other way to
 * start a program fails this test; so does an unlisted process of the language server.
 */
import { expect } from 'chai';
import ts from 'typescript';
import { visitNodes, listImports, loadSources, listStrings, type Source } from '../support/sources.js';

const GATE = 'extension/src/programs.ts';
const STARTING = /^(node:)?(child_process|cluster|worker_threads)$/;
/** Modules of Node that start a program, or that load what a variable names. */
const MODULES = /^(node:)?(child_process|cluster|worker_threads|module|vm|repl|wasi|inspector)$/;
/** Of the editor's interface and of its language client. */
const NAMES = new Set(
  (
    'Task ShellExecution ProcessExecution CustomExecution executeTask createTerminal sendText startDebugging LanguageClient ' +
    'DebugAdapterExecutable registerTerminalProfileProvider registerMcpServerDefinitionProvider binding dlopen eval Function require'
  ).split(' '),
);
/** Commands of the editor that start a terminal, a task, a debugger or an extension. */
const COMMANDS = /^(workbench\.action\.(terminal|tasks|debug)|workbench\.extensions|vscode\.executeTask)/;

function offences(source: Source): string[] {
  const found = [
    ...listImports(source).filter((name) => MODULES.test(name)),
    ...listStrings(source).filter((text) => COMMANDS.test(text)),
  ];
  visitNodes(source, (node) => {
    if (isType(node)) return;
    if (ts.isIdentifier(node) && NAMES.has(node.text)) found.push(node.text);
    const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
    if (isDynamic && !ts.isStringLiteralLike(node.arguments[0] as ts.Node)) found.push('import()');
  });
  return found;
}

/** A name that is gone when the program runs. */
function isType(node: ts.Node): boolean {
  const { parent } = node;
  if (parent === undefined) return false;
  if (ts.isImportSpecifier(parent)) return parent.isTypeOnly || parent.parent.parent.isTypeOnly;
  return ts.isTypeReferenceNode(parent) || ts.isQualifiedName(parent) || ts.isExpressionWithTypeArguments(parent);
}

describe('architecture: programs that the extension starts', () => {
  const sources = loadSources('extension/src');

  it('are started in one file', () => {
    expect(sources.map(({ path }) => path)).to.include(GATE);
    const wrong = sources
      .filter(({ path }) => path !== GATE)
      .flatMap((source) => offences(source).map((what) => `${source.path}: ${what}`));
    expect(wrong).to.deep.equal([]);
  });

  it('are found when another file starts one', () => {
    const text = (code: string): Source => ({ path: 'extension/src/other.ts', text: code });
    for (const code of [
      `import { execFile } from 'node:child_process';`,
      `import * as all from 'child_process';`,
      `import { Task } from 'vscode'; new Task();`,
      `import * as vscode from 'vscode'; new vscode.ShellExecution('ls');`,
      `import { tasks as all } from 'vscode'; all.executeTask(one);`,
      `window['createTerminal'] && window.createTerminal('x');`,
      `commands.executeCommand('workbench.action.terminal.sendSequence', { text: 'ls' });`,
      `import { LanguageClient } from 'vscode-languageclient/node';`,
      `await import(name);`,
      `await import('node:child_process');`,
      `new Function('return process')();`,
    ])
      expect(offences(text(code)), code).not.to.deep.equal([]);
    for (const code of [
      `import type { Task } from 'vscode'; let task: Task;`,
      `import { tasks, type Task } from 'vscode'; const isOne = (task: Task) => tasks.taskExecutions;`,
    ])
      expect(offences(text(code)), code).to.deep.equal([]);
  });

  it('of the language server are two: one reads specs, one lets a database check statements', () => {
    const starting = [...loadSources('language-server'), ...loadSources('language')].filter((source) =>
      listImports(source).some((name) => STARTING.test(name)),
    );
    expect(starting.map(({ path }) => path)).to.deep.equal([
      'language-server/manifests.ts',
      'language/project/scratch-process.ts',
    ]);
    // These check first whether the workspace is trusted.
    const asking = loadSources('language-server').filter((source) =>
      listImports(source).some((name) => name === 'language/project/scratch-process.ts'),
    );
    expect(asking.map(({ path }) => path)).to.deep.equal(['language-server/statement-checks.ts']);
  });
});
