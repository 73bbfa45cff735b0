/** The panels that code lenses open for one resource, registered as commands. */
import type { Uri } from 'vscode';
import type { ExtensionServices } from '../commands.js';
import type { FlowMarks } from './plan-texts.js';
import { showPlan } from './plan.js';
import { sendRequest } from './request.js';

/** Without a resource id, the user picks the resource. */
export type Panel = (
  parts: ExtensionServices,
  uri: Uri | undefined,
  resourceId: string | undefined,
  marks?: FlowMarks,
) => Promise<void>;

export const PANELS: Readonly<Record<string, Panel>> = {
  'lintel.sendRequest': sendRequest,
  'lintel.showPlan': showPlan,
};
