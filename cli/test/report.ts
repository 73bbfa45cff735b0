/** Opens the reporter of a run, and removes secrets from what it receives. */
import type { RuntimeContext } from '../../contract/plugin.js';
import { Slot } from '../../contract/slot.js';
import type { ReportedCase, ReportedExchange, TestReporter } from '../../contract/tests.js';
import { requirePackages } from '../../language/project/missing-packages.js';
import { attributeErrors } from '../../language/project/plugin-failures.js';
import type { Project } from '../../language/project/project.js';
import { resolveOptions } from '../../language/project/plugin-selection.js';
import { formatCodeFrame } from '../../language/source/code-frame.js';
import { findNearest } from '../../language/source/suggest.js';
import { createPaint } from '../colors.js';
import type { Terminal } from '../terminal.js';
import type { CaseOutcome } from './outcome.js';

export interface Report {
  reportCase(outcome: CaseOutcome): void;
  finishReport(milliseconds: number): void;
}

export const DEFAULT_REPORTER = 'pretty';

/** Why there is no such reporter; null: there is one. `wanted`: the name of `--reporter`. */
export function explainUnknownReporter({ registry }: Project, wanted: string | undefined): string | null {
  const names = registry.listKinds(Slot.REPORTER).flatMap(({ kind }) => registry.names(kind));
  if (wanted === undefined || names.includes(wanted)) return null;
  const near = findNearest(wanted, names);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  return `--reporter takes ${names.join(', ')}; not "${wanted}".${hint}`;
}

export async function startReport(
  project: Project,
  wanted: string | undefined,
  terminal: Terminal,
  redact: (text: string) => string,
): Promise<Report> {
  const { registry, runtimes, config, env } = project;
  const kinds = registry.listKinds(Slot.REPORTER).map(({ kind }) => kind);
  const configured = config?.chosen.find(({ kind }) => kinds.includes(kind));
  const name = wanted ?? configured?.name ?? DEFAULT_REPORTER;
  const kind = kinds.find((one) => registry.names(one).includes(name)) ?? '';
  const id = `${kind}:${name}` as const;
  requirePackages(registry, id);
  const runtime = await runtimes.get(id)?.();
  const options = configured?.name === name ? resolveOptions(configured.options, env) : {};
  const reporter = attributeErrors(id, 'be made', () => runtime?.create?.({ id, options } as RuntimeContext));
  const paint = createPaint(terminal);
  const write = (text: string): void => void terminal.stdout.write(redact(text));
  const report = (reporter as TestReporter).startReport({ write, paint });
  const reported: ReportedCase[] = [];
  const toReported = ({ file, group, id: title, milliseconds, failures }: CaseOutcome): ReportedCase => ({
    file,
    group,
    id: title,
    milliseconds,
    failures: failures.map((failure) => {
      const { doc, range } = failure;
      const message = redact(failure.message);
      const problem = { file: doc.file, range, severity: 'error' as const, code: 'expectation', message, related: [] };
      const frame = redact(formatCodeFrame(problem, doc, paint, title));
      return { message, range, frame, ...(failure.exchange && { exchange: redactExchange(failure.exchange) }) };
    }),
  });
  const redactExchange = ({ request, expected, actual }: ReportedExchange): ReportedExchange => ({
    request: redact(request),
    expected: redact(expected),
    actual: redact(actual),
  });
  return {
    reportCase(outcome) {
      const one = toReported(outcome);
      reported.push(one);
      report.reportCase(one);
    },
    finishReport: (milliseconds) => report.finishReport(reported, milliseconds),
  };
}
