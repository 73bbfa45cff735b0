/** Compiles a mutant: whether the compiler accepts it, and the JavaScript of its one file as the build would write it. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { listSources } from './generate.js';
import { applyMutation, type Mutation } from './mutation.js';

/** Code that is unused or unreachable because of the mutation is no reason to reject it. */
const IGNORED = new Set([6133, 6138, 6192, 6196, 6198, 6199, 6205, 7027, 7028]);

export interface Compiler {
  /** The compiled file of the mutant, or why it does not compile. */
  compile(mutation: Mutation): { readonly code: string } | { readonly rejected: string };
}

/** Options of every part of the repository; paths are those of the build. */
export function readOptions(root: string): ts.CompilerOptions {
  const file = join(root, 'tsconfig.base.json');
  const { config } = ts.readConfigFile(file, (path) => readFileSync(path, 'utf8')) as { config: unknown };
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options;
}

/** One file as the build compiles it: types are removed, nothing is checked. */
export function compileText(options: ts.CompilerOptions, file: string, text: string): string {
  // Whether a file is a module is decided by package.json, which is not read here: all of them are.
  const module = ts.ModuleKind.ESNext;
  const compilerOptions = { ...options, module, moduleResolution: ts.ModuleResolutionKind.Bundler, composite: false };
  return ts.transpileModule(text, { compilerOptions, fileName: basename(file) }).outputText;
}

export function createCompiler(root: string): Compiler {
  const options = readOptions(root);
  const checker = createChecker(root, options);
  return {
    compile(mutation) {
      const { file } = mutation;
      const text = readFileSync(join(root, file), 'utf8');
      const mutated = applyMutation(text, mutation);
      const code = compileText(options, file, mutated);
      if (code === compileText(options, file, text)) return { rejected: 'the compiled code is the same' };
      const error = checker(file, mutated);
      return error === null ? { code } : { rejected: error };
    },
  };
}

/** The first error that the compiler reports in the file with this text, or null. */
function createChecker(root: string, options: ts.CompilerOptions): (file: string, text: string) => string | null {
  const names = listSources(root).map((file) => join(root, file));
  let changed = { name: '', text: '', version: 0 };
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => ({ ...options, types: ['node'], noEmit: true, composite: false }),
    getScriptFileNames: () => names,
    getScriptVersion: (name) => (name === changed.name ? String(changed.version) : '0'),
    getScriptSnapshot: (name) => {
      const text = name === changed.name ? changed.text : ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (path) => ts.sys.fileExists(path),
    readFile: (path) => ts.sys.readFile(path),
    directoryExists: (path) => ts.sys.directoryExists(path),
    getDirectories: (path) => ts.sys.getDirectories(path),
  };
  const service = ts.createLanguageService(host);
  return (file, text) => {
    const name = join(root, file);
    changed = { name, text, version: changed.version + 1 };
    const found = [...service.getSyntacticDiagnostics(name), ...service.getSemanticDiagnostics(name)];
    const error = found.find(({ code, category }) => category === ts.DiagnosticCategory.Error && !IGNORED.has(code));
    return error === undefined ? null : ts.flattenDiagnosticMessageText(error.messageText, ' ');
  };
}
