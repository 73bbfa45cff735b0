/** Converts a problem to an LSP diagnostic, without adding information. */
import { join } from 'node:path';
import type { Diagnostic } from 'vscode-languageserver';
import { DiagnosticSeverity, DiagnosticTag } from './protocol.js';
import type { Problem, ProblemTag, Severity } from '../contract/problem.js';
import { findCodePage } from './page-urls.js';
import type { Project } from './project.js';

const SEVERITIES: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  hint: DiagnosticSeverity.Information,
};

const TAGS: Readonly<Record<ProblemTag, DiagnosticTag>> = {
  deprecated: DiagnosticTag.Deprecated,
  unnecessary: DiagnosticTag.Unnecessary,
};

export function toDiagnostic(problem: Problem, project: Project, uriOf: (name: string) => string): Diagnostic {
  const { code, severity, message, range, related } = problem;
  const tag = project.registry.codes[code]?.tag;
  const page = findCodePage(project, code);
  return {
    code,
    severity: SEVERITIES[severity],
    message,
    range,
    source: 'lintel',
    ...(page !== null && { codeDescription: { href: page } }),
    ...(tag !== undefined && { tags: [TAGS[tag]] }),
    ...(related.length > 0 && {
      relatedInformation: related.map((one) => ({
        message: one.message,
        location: { uri: uriOf(join(project.folder, one.file)), range: one.range },
      })),
    }),
  };
}
