/**
 * The source files of this repository for architecture tests: path, text, imports, string literals. Parsed by the
 * compiler's own parser, so comments never count as code.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { ROOT } from './project.js';

export interface Source {
  /** Relative to the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Every TypeScript file below the folders. */
export function loadSources(...folders: readonly string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => posix.join(folder, file.replaceAll('\\', '/')))
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
      .sort()
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') })),
  );
}

/** Calls `visit` for every node of the file; comments are no nodes. */
export function visitNodes({ path, text }: Source, visit: (node: ts.Node) => void): void {
  const walk = (node: ts.Node): void => {
    visit(node);
    ts.forEachChild(node, walk);
  };
  walk(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
}

const imports = new WeakMap<Source, string[]>();

/** An import: `contract/kind.ts` for files of the repository, the specifier itself for packages. */
export function listImports(source: Source): string[] {
  const known = imports.get(source);
  if (known !== undefined) return known;
  // A scan for imports takes a fifth of the time of a syntax tree.
  const { importedFiles } = ts.preProcessFile(source.text, true, false);
  const found = [...new Set(importedFiles.map(({ fileName }) => resolveSpecifier(source.path, fileName)))];
  imports.set(source, found);
  return found;
}

function findSpecifier(node: ts.Node): string | null {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return getLiteralText(node.moduleSpecifier);
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? getLiteralText(node.argument.literal) : null;
  const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isDynamic ? getLiteralText(node.arguments[0]) : null;
}

const getLiteralText = (node: ts.Node | undefined): string | null =>
  node !== undefined && ts.isStringLiteralLike(node) ? node.text : null;

function resolveSpecifier(from: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

/** The text of a string literal or of a piece of a template; null for import specifiers and all other nodes. */
export function getStringText(node: ts.Node): string | null {
  if (ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) return node.text;
  return ts.isStringLiteralLike(node) && findSpecifier(node.parent) === null ? node.text : null;
}

export function listStrings(source: Source): string[] {
  const found: string[] = [];
  visitNodes(source, (node) => {
    const text = getStringText(node);
    if (text !== null) found.push(text);
  });
  return found;
}

/** Names that are read as variables: not property names, not parts of types. */
export function listIdentifiers(source: Source): string[] {
  const names: string[] = [];
  visitNodes(source, (node) => {
    if (!ts.isIdentifier(node)) return;
    const { parent } = node;
    const isMember = (ts.isPropertyAccessExpression(parent) && parent.name === node) || ts.isTypeElement(parent);
    if (!isMember && !ts.isPropertyAssignment(parent)) names.push(node.text);
  });
  return names;
}
