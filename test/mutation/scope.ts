/**
 * Scope of mutations: code that decides something. Types, documentation, message texts and lists of modules are
 * excluded.
 */
import ts from 'typescript';

const LEFT_OUT: readonly RegExp[] = [
  // Codes with their texts, and descriptions.
  /^language\/problems\/[a-z]+-codes\.ts$|^language\/problems\/catalogue\.ts$/,
  /^cli\/(help|docs|docs-pages|format-error|migration-format|commands|version)\.ts$/,
  // Generates the reference.
  /^language\/export\/(reference.*|markdown|command-doc|describe-field|describe-plugin|field-table|example-check)\.ts$/,
  /(^|\/)index(\.[a-z]+)?\.ts$/,
  /^plugins\/(shared\/examples|[a-z-]+\/shared\/([a-z]+-)?errors)\.light\.ts$/,
  /\.d\.ts$/,
];

export const isMutated = (file: string): boolean => !LEFT_OUT.some((pattern) => pattern.test(file));

/** Members that hold documentation. */
const DOCUMENTATION = new Set(
  'doc summary details examples example counterExamples help say mistaken since notes description title unit hint'.split(
    ' ',
  ),
);
/** Members that hold documentation where a plugin or a kind is described. */
const IN_SPECS = new Set('errors message form host facts config expected invented label advanced'.split(' '));
const SPEC = /(^plugins\/kinds\/|\/spec\.ts$)/;

export function isSkippedNode(node: ts.Node, file: string): boolean {
  if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isEnumDeclaration(node)) return true;
  if (ts.isPropertyAssignment(node)) {
    const name = node.name.getText();
    return DOCUMENTATION.has(name) || (SPEC.test(file) && IN_SPECS.has(name));
  }
  return isMessage(node);
}

const REPORT = /^(log|this\.log|console|logger)\.|\.log\.|\b(debug|info|warn)$/;

/** Faults and log messages: whether they are thrown is mutated elsewhere, their texts are not. */
function isMessage(node: ts.Node): boolean {
  if (ts.isNewExpression(node)) return /(Error|Fault)$/.test(node.expression.getText());
  if (!ts.isCallExpression(node)) return false;
  const called = node.expression.getText();
  return called === 'fault' || called === 'refuse' || REPORT.test(called);
}
