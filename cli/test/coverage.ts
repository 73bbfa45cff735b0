/** What the cases have reached: resources, actionables, and refusals of guards, rules and required results. */
import { asText, isObject, type Json } from '../../contract/json.js';
import type { Registrar } from '../../contract/hooks.js';
import type { InvocationRecord } from '../../contract/telemetry.js';
import type { Range } from '../../contract/problem.js';
import type { Kernel } from '../../kernel/runtime/kernel.js';
import type { ResourceModel } from '../../language/analysis/model.js';
import { createRejectionReader, type Rejection } from '../../language/export/openapi/rejections.js';
import { rangeAt, type Document } from '../../language/source/document.js';
import type { LocatedNode } from '../../language/source/tree.js';
import type { ReceivedResponse } from './send.js';

export interface CoveredItem {
  readonly file: string;
  readonly resource: string;
  readonly sort: 'resource' | 'actionable' | 'refusal' | 'branch';
  /** `answers`, `2 runs`, `1: "email" rejects`, `1: "note" is left out`, `1: "must_return_value" ends`. */
  readonly label: string;
  readonly doc: Document;
  readonly range: Range;
  readonly hits: number;
}

export interface Coverage {
  /** Observes a kernel, of which it then counts everything. */
  readonly register: (hooks: Registrar) => void;
  /** `resource`: the id of the one that answered. `sent`: the payload. */
  recordResponse(resource: string, response: ReceivedResponse, sent: unknown, trigger: 'http' | 'websocket'): void;
  /** Resolves when the kernel has reported all requests with a response. */
  settle(): Promise<void>;
  /** Of the resources that the kernel serves, in the order of files. */
  listItems(kernel: Kernel): CoveredItem[];
}

export function createCoverage(): Coverage {
  const hits = new Map<string, number>();
  const add = (...parts: readonly string[]): void => {
    const key = parts.join('\n');
    hits.set(key, (hits.get(key) ?? 0) + 1);
  };
  /** The kernel reports some before they are received. */
  let missing = 0;
  let endWait: (() => void) | null = null;
  const count = (...parts: readonly string[]): number => hits.get(parts.join('\n')) ?? 0;

  function recordInvocation({ trigger, resource, status, code, actions }: InvocationRecord): void {
    if (trigger === 'http' && --missing <= 0) endWait?.();
    if (resource !== undefined && status < 400) add('answers', resource);
    if (resource !== undefined && code !== undefined) add('refusal', resource, code);
    for (const { key, code: reason, rows } of actions) {
      add('runs', key);
      if (reason !== undefined) add('refusal', key, reason);
      else add(rows?.() === 0 ? 'empty' : 'result', key);
    }
  }

  function countRefusals(resource: string, { action, codes, payloadField }: Rejection): number {
    if (payloadField !== null) return codes.reduce((sum, code) => sum + count('rule', resource, code, payloadField), 0);
    const sum = (owner: string): number => codes.reduce((total, code) => total + count('refusal', owner, code), 0);
    return action === null ? sum(resource) : sum(action.key) || sum(resource);
  }

  function listResourceItems(resource: ResourceModel, refusals: readonly Rejection[]): CoveredItem[] {
    const { id, definition, actions } = resource;
    const create = (sort: CoveredItem['sort'], label: string, node: LocatedNode, reached: number): CoveredItem => {
      const { doc } = definition;
      const range = rangeAt(doc, node.start, node.end);
      return { file: doc.file, resource: id, sort, label, doc, range, hits: reached };
    };
    const seen = new Set<number>();
    const all = refusals.filter(({ node }) => !seen.has(node.start) && seen.add(node.start));
    const own = all.filter(({ codes }) => codes.length > 0);
    const endings = all.flatMap(({ action, field, node, codes }) =>
      action === null || codes.length > 0 ? [] : [{ action, label: `${action.id}: "${field}"`, node }],
    );
    const optional = own.filter(
      ({ payloadField }) => resource.payloadFields.get(payloadField ?? '')?.optional === true,
    );
    return [
      create('resource', 'answers', definition.node, count('answers', id)),
      ...actions.map((one) => create('actionable', `${one.id} runs`, one.node, count('runs', one.key))),
      ...own.map((one) => {
        const place = one.action === null ? '' : `${one.action.id}: `;
        return create('refusal', `${place}"${one.field}" rejects`, one.node, countRefusals(id, one));
      }),
      ...optional.flatMap(({ action, field, node }) => {
        const sent = count('sent', id, field);
        const label = `${action?.id ?? ''}: "${field}" is `;
        return [
          create('branch', `${label}sent`, node, sent),
          create('branch', `${label}left out`, node, count('accepted', id) - sent),
        ];
      }),
      ...endings.flatMap(({ action, label, node }) => [
        create('branch', `${label} ends`, node, count('empty', action.key)),
        create('branch', `${label} goes on`, node, count('result', action.key)),
      ]),
    ];
  }

  return {
    register: (hooks) => hooks.tap('after-response', recordInvocation),
    settle: () => (missing <= 0 ? Promise.resolve() : new Promise((resolve) => (endWait = resolve))),
    recordResponse(resource, { status, body }, sent, trigger) {
      if (trigger === 'http') missing++;
      if (status < 400) {
        add('accepted', resource);
        const fields = isObject(sent) ? Object.entries(sent) : [];
        for (const [name, value] of fields) if (value !== null) add('sent', resource, name);
      }
      const code = isObject(body) ? asText(body['code']) : '';
      const issues: Json = isObject(body) ? (body['errors'] ?? null) : null;
      if (!Array.isArray(issues)) return;
      for (const { pointer } of (issues as readonly Json[]).filter(isObject))
        for (const name of asText(pointer).split('/').slice(1)) add('rule', resource, code, name);
    },
    listItems(kernel) {
      const { project, config } = kernel;
      const analysis = kernel.analysis();
      const info = { title: '', version: '' };
      const read = createRejectionReader({ analysis, registry: project.registry, config, info });
      return analysis.resources.flatMap((resource) => listResourceItems(resource, read(resource)));
    },
  };
}

/** Adds what several servers have counted, one for each environment. */
export function mergeItems(lists: readonly (readonly CoveredItem[])[]): CoveredItem[] {
  const merged = new Map<string, CoveredItem>();
  for (const item of lists.flat()) {
    const key = `${item.file}\n${item.resource}\n${item.sort}\n${item.label}\n${item.range.start.line}:${item.range.start.character}`;
    const known = merged.get(key);
    merged.set(key, known === undefined ? item : { ...item, hits: item.hits + known.hits });
  }
  return [...merged.values()];
}
