/** Commands that describe a project for other programs, and those that editors start. */
import { FAILED, OK, TRUST, withSqlParser, type CommandEntry } from './command-entry.js';

export const TOOL_COMMANDS: Readonly<Record<string, CommandEntry>> = {
  openapi: {
    usage: 'openapi',
    summary: 'describe the endpoints as an OpenAPI document',
    details:
      'OpenAPI 3.1 as JSON: paths, parameters, bodies, responses, errors and authentication, from the ' +
      'definitions, the models and the statements. If WebSocket is enabled, `x-lintel-websocket` lists what clients can ' +
      'call and which events they receive. Title and version are from the `package.json` next to the config. ' +
      'Connects to nothing and contains no environment values. Without `--out` it is printed. `lintel dev` serves the ' +
      'same at `/openapi.json`, and a page to try it out at `/docs`.',
    options: [
      { name: 'out', value: 'FILE', doc: 'The file to write.' },
      { name: 'check', doc: 'Write nothing; exit code 1 if the file (default: `openapi.json`) is out of date.' },
      TRUST,
    ],
    examples: ['lintel openapi --out openapi.json', 'lintel openapi --check --out openapi.json'],
    exits: [OK, { code: 1, doc: 'Definitions with errors, or with `--check` a file that is out of date.' }],
    load: withSqlParser(async () => (await import('./openapi.js')).runOpenapi),
  },
  client: {
    usage: 'client',
    summary: 'write a typed TypeScript client of the endpoints',
    details:
      'One file without dependencies, for browsers and Node: a function for each endpoint, with types of what is sent and returned ' +
      'and with the problem codes that it can have; uploads, retries where they are safe, and with WebSocket enabled the calls, ' +
      'rooms and events of a connection. It is made from the same facts as `lintel openapi`; the same definitions give the same ' +
      'file. Connects to nothing and contains no environment values. Without `--out` it is printed.',
    options: [
      { name: 'out', value: 'FILE', doc: 'The file to write.' },
      { name: 'check', doc: 'Write nothing; exit code 1 if the file (default: `client.ts`) is out of date.' },
      TRUST,
    ],
    examples: ['lintel client --out web/src/client.ts', 'lintel client --check --out web/src/client.ts'],
    exits: [OK, { code: 1, doc: 'Definitions with errors, or with `--check` a file that is out of date.' }],
    load: withSqlParser(async () => (await import('./openapi.js')).runClient),
  },
  schema: {
    usage: 'schema',
    summary: 'write JSON Schemas of definitions, models and the config',
    details:
      'For editors without the Lintel extension: completion, documentation and errors that a schema can express (draft ' +
      '07). Plugins of the config are included. A name that ends in `.json` is a file; any ' +
      'other is a folder, with one file for each type of definition file. Without `--out` the schema is printed.',
    options: [
      { name: 'for', value: 'WHAT', doc: '`definition`, `model`, `config` or `all` (default).' },
      { name: 'out', value: 'PATH', doc: 'A file, or a folder.' },
      TRUST,
    ],
    examples: ['lintel schema --out .vscode', 'lintel schema --for model --out model.schema.json'],
    exits: [OK, FAILED],
    load: async () => (await import('./schema.js')).runSchema,
  },
  docs: {
    usage: 'docs',
    summary: 'write the reference as Markdown pages',
    details:
      'One page for each kind of plugin, and pages for the grammar, the config, the problem codes and the commands; ' +
      'your own plugins are included. Generated pages that are no longer needed are removed; other ' +
      'files of the folder are not changed.',
    options: [
      { name: 'out', value: 'FOLDER', doc: 'The folder of the pages (default: `docs/reference`).' },
      { name: 'check', doc: 'Write nothing; exit code 1 if a page is out of date.' },
      TRUST,
    ],
    examples: ['lintel docs', 'lintel docs --check'],
    exits: [OK, { code: 1, doc: 'With `--check`: a page is out of date.' }],
    load: async () => (await import('./docs.js')).runDocs,
  },
  manifest: {
    usage: 'manifest <plugin folder>',
    summary: 'check the specs in a folder and write plugin.manifest.json',
    details:
      'Runs the examples and counter-examples of every spec in the folder and reports missing documentation. ' +
      'Without issues, writes the specs as plain data, for readers that must not run foreign code, into the folder that ' +
      'the config lists. Rules that are code are only marked (`hasCheck`). Other plugins of the config are read from their ' +
      'manifests.',
    options: [{ name: 'check', doc: 'Write nothing; exit code 1 if the file is out of date.' }, TRUST],
    examples: ['lintel manifest my-plugins/short-code', 'lintel manifest my-plugins/short-code --check'],
    exits: [OK, { code: 1, doc: 'A spec has issues, or with `--check` the file is out of date.' }],
    load: async () => (await import('./manifest.js')).runManifest,
  },
  mcp: {
    usage: 'mcp',
    summary: 'tools for a language model that writes definitions',
    details:
      'Model Context Protocol over the standard streams, with five tools: schema, describe, check, plan and test. They read the ' +
      'project and change no file and no data; tests run on stores in memory. Needs the package `@modelcontextprotocol/sdk`. ' +
      'Code of plugins in folders of the project runs only with `--trust`.',
    options: [TRUST],
    examples: ['lintel mcp'],
    exits: [
      { code: 0, doc: 'The client has ended its input.' },
      { code: 1, doc: 'The package is not installed.' },
    ],
    load: async () => (await import('./mcp.js')).runMcp,
  },
  lsp: {
    usage: 'lsp',
    summary: 'the language server, for editors',
    details:
      'Language Server Protocol over the standard streams: problems, completion, documentation, navigation and ' +
      'code actions for definitions, models and the config. The VS Code extension contains its own copy.',
    options: [
      { name: 'stdio', doc: 'Communicate over stdin and stdout; the only transport.' },
      { name: 'clientProcessId', value: 'PID', doc: 'The process id of the editor, which some clients pass.' },
    ],
    examples: ['lintel lsp --stdio'],
    exits: [{ code: 0, doc: 'Stopped by the editor.' }],
    load: async () => (await import('./lsp.js')).runLanguageServer,
  },
  dap: {
    usage: 'dap',
    summary: 'the debug adapter, for editors',
    details:
      'Debug Adapter Protocol over the standard streams: breakpoints on resources, actionables and rules, steps, values. `launch` ' +
      'starts `lintel dev --debug` in the folder `cwd` and ends it with the session; `attach` connects to one that runs there. ' +
      'With `test` (a file or folder of cases, or true) and `filter` it is `lintel test --debug`. `lintel serve` accepts no debugger. The configuration may have `cwd`, `config`, `env`, `stopOnEntry` (each request stops at its start) and ' +
      '`showSecrets` (passwords, tokens and keys are masked otherwise).',
    options: [],
    examples: ['lintel dap'],
    exits: [{ code: 0, doc: 'Disconnected by the editor.' }],
    load: async () => (await import('./dap.js')).runDap,
  },
};
