/** Debug sessions of the type `lintel`: F5 works without a launch configuration, and starts the project's `lintel dap`. */
import { Disposable, debug, window, type DebugConfiguration, type WorkspaceFolder } from 'vscode';
import { NOT_STARTED_MESSAGES, createDebugAdapter } from './programs.js';
import type { Project, Projects } from './projects.js';

const TYPE = 'lintel';
const INITIAL: DebugConfiguration = { type: TYPE, request: 'launch', name: 'Debug definitions' };

export function provideDebugging(projects: Projects): Disposable {
  const findProject = (folder: WorkspaceFolder | undefined): Project | undefined =>
    projects.find(window.activeTextEditor?.document.uri ?? folder?.uri);
  return Disposable.from(
    debug.registerDebugConfigurationProvider(TYPE, {
      provideDebugConfigurations: () => [INITIAL],
      resolveDebugConfiguration(folder, given) {
        // Without a launch.json, all fields are missing.
        const configuration: DebugConfiguration = { ...INITIAL, ...given };
        const project = findProject(folder);
        if (project === undefined && configuration['cwd'] === undefined) {
          void window.showWarningMessage(
            'There is no lintel.config.json in this workspace. `npx lintel init` makes a project.',
          );
          return undefined;
        }
        return { cwd: project?.folder.fsPath, ...configuration };
      },
    }),
    debug.registerDebugAdapterDescriptorFactory(TYPE, {
      createDebugAdapterDescriptor({ configuration, workspaceFolder }) {
        const adapter = createDebugAdapter(String(configuration['cwd'] ?? workspaceFolder?.uri.fsPath ?? ''));
        if (typeof adapter === 'string') throw new Error(NOT_STARTED_MESSAGES[adapter]);
        return adapter;
      },
    }),
  );
}
