/**
 * A process that prints the specs of workspace plugins as a manifest. The only module of the server that runs
 * workspace code: when trusted, with an empty environment and limits.
 */
import { kinds as builtinKinds } from '../plugins/index.kinds.js';
import { specs as builtinSpecs } from '../plugins/index.spec.js';
import { buildRegistry } from '../language/analysis/build-registry.js';
import { createManifest, formatManifest } from '../language/export/manifest.js';
import { readFolder } from '../language/project/plugin-folders.js';

/** `others`: folders that may define the kinds of these plugins. */
async function main([folder = '', name = '', ...others]: readonly string[]): Promise<void> {
  const { kinds, specs } = await readFolder(folder, name);
  const around = await Promise.all(others.map((other) => readFolder(other).catch(() => null)));
  const known = around.flatMap((one) => one?.kinds ?? []).filter(({ kind }) => !kinds.some((own) => own.kind === kind));
  const registry = buildRegistry([...builtinKinds, ...known, ...kinds], [...builtinSpecs, ...specs]);
  process.stdout.write(
    formatManifest(createManifest({ registry, version: '0.0.0', kinds, specs, runtime: () => null })),
  );
}

// No top-level `await`, because the bundle is CommonJS.
main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
