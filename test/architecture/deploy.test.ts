/**
 * The files of `deploy/` match Lintel: commands, probes, variables, timeouts, users and names. Nothing is started;
 * `test/e2e/deploy-*.test.ts` run what can be run.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { DEFAULTS } from '../../language/analysis/config-schema.js';
import type { Config } from '../../language/analysis/config.js';
import { COMMANDS } from '../../cli/commands.js';
import { loadProject } from '../../plugins/distribution.js';
import { loadDefinitions } from '../../language/project/project.js';
import {
  getAtPath,
  DEPLOY,
  createExampleEnv,
  readInstructions,
  interpolateEnv,
  readDeploy,
  readYaml,
  type Tree,
} from '../support/deploy.js';
import { ROOT, createTempProject } from '../support/project.js';

const compose = readYaml('compose.yaml')[0] ?? {};
const services = compose['services'] as Readonly<Record<string, Tree>>;
const KUBERNETES = readdirSync(join(DEPLOY, 'kubernetes')).filter((name) => name.endsWith('.yaml'));
const manifests = KUBERNETES.filter((name) => name !== 'kustomization.yaml').flatMap((name) =>
  readYaml(`kubernetes/${name}`),
);
const kustomization = readYaml('kubernetes/kustomization.yaml')[0] ?? {};
const manifest = (kind: string): Tree => {
  const found = manifests.find((each) => each['kind'] === kind);
  if (found === undefined) throw new Error(`there is no ${kind}`);
  return found;
};
const docker = readInstructions('Dockerfile');
const last = (word: string): string => docker.filter((each) => each.word === word).at(-1)?.rest ?? '';
const env = createExampleEnv();
const seconds = (text: unknown): number => Number(/^(\d+)s$/.exec(String(text))?.[1]);
const { status_path: status } = DEFAULTS.http;

/** The config file and definitions as a container has them, with the environment that it gets. */
async function checkConfig(config: string, definitions: string, environment: Record<string, string>): Promise<Config> {
  const project = await createTempProject({ 'lintel.config.json': readDeploy(config) });
  try {
    await mkdir(join(project.folder, 'definitions'));
    await cp(definitions, join(project.folder, 'definitions'), { recursive: true });
    const loaded = await loadProject(project.folder, undefined, environment);
    if (loaded.config === null) throw new Error(JSON.stringify(loaded.configProblems));
    const { problems } = await loadDefinitions(loaded, loaded.config);
    expect(problems.filter(({ severity }) => severity !== 'hint')).to.deep.equal([]);
    return loaded.config;
  } finally {
    await project.dispose();
  }
}

const readEnvironment = (service: Tree | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries((service?.['environment'] ?? {}) as Tree).map(([name, value]) => [
      name,
      interpolateEnv(String(value), env),
    ]),
  );

/** The duration of a shutdown, by a config: lingering, requests in flight, closing of plugins. */
const ending = ({ http: { timeouts }, deadlines }: Config): number =>
  timeouts.linger + timeouts.drain + deadlines.close;

describe('deploy/Dockerfile', () => {
  it('uses a Node that the package supports', () => {
    const major = Number(/^NODE_IMAGE=node:(\d+)-/.exec(docker.find(({ word }) => word === 'ARG')?.rest ?? '')?.[1]);
    const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } };
    const [, least] = /^>=(\d+)\./.exec(engines.node) ?? [];
    expect(major).to.be.at.least(Number(least));
    // The first on which the packages were tried without their install scripts.
    expect(major).to.be.at.least(24);
    expect(docker.filter(({ word }) => word === 'FROM').every(({ rest }) => rest.startsWith('${NODE_IMAGE}'))).to.equal(
      true,
    );
  });

  it('starts an existing command, as a user that is not root', () => {
    const [node, file] = JSON.parse(last('ENTRYPOINT')) as string[];
    expect([node, file]).to.deep.equal(['node', '/lintel/dist/bundle/cli.js']);
    expect(existsSync(join(ROOT, (file ?? '').replace('/lintel/', '')))).to.equal(true);
    const [command = ''] = JSON.parse(last('CMD')) as string[];
    expect(Object.keys(COMMANDS)).to.include(command);
    expect(last('USER')).to.match(/^[1-9]\d*:[1-9]\d*$/);
  });

  it('builds all that a clone builds: the command with its language server, and the files of a new embedded database', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { build: string } };
    const built = docker.filter(({ word, rest }) => word === 'RUN' && rest.includes('tsc')).map(({ rest }) => rest);
    expect(built).to.have.length(1);
    for (const step of scripts.build.split(' && ').slice(1)) expect(built[0]?.split(' && ')).to.include(step);
    expect(docker.map(({ word, rest }) => `${word} ${rest}`)).to.include.members([
      'COPY --from=build /lintel/dist/bundle /lintel/dist/bundle',
      'COPY --from=build /lintel/dist/pglite-template-*.tar.gz /lintel/dist/',
      'COPY templates /lintel/templates',
    ]);
    expect(readdirSync(join(ROOT, 'dist')).some((name) => /^pglite-template-.*\.tar\.gz$/.test(name))).to.equal(true);
  });

  it('copies existing files that .dockerignore allows', () => {
    const ignore = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    expect(ignore).to.include('*');
    const copied = docker
      .filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from'))
      .flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1));
    expect(copied).to.include.members([
      'package.json',
      'package-lock.json',
      'contract',
      'language',
      'kernel',
      'plugins',
      'cli',
      'language-server',
      'templates',
    ]);
    for (const path of copied) {
      expect(existsSync(join(ROOT, path)), path).to.equal(true);
      expect(ignore, path).to.include(`!${path}`);
    }
  });
});

it('deploy/ and the documents name the image of this version', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  const named = [
    ...(kustomization['images'] as Tree[]).map((image) => `kustomization.yaml ${String(image['newTag'])}`),
    ...pages.flatMap((name) =>
      [...readFileSync(join(ROOT, 'docs', name), 'utf8').matchAll(/\blintel:(\d+\.\d+\.\d+)/g)].map(
        ([, tag]) => `${name} ${tag}`,
      ),
    ),
  ];
  expect(named).to.have.lengthOf.at.least(3);
  expect(named.filter((text) => !text.endsWith(` ${version}`))).to.deep.equal([]);
});

describe('deploy/compose.yaml', () => {
  it('requires every secret, and `.env.example` names each without committing one', () => {
    const demanded = [...readDeploy('compose.yaml').matchAll(/\$\{([A-Z0-9_]+):\?/g)].map(([, name]) => name);
    expect(Object.keys(env)).to.include.members([...new Set(demanded)]);
    const used = [...readDeploy('compose.yaml').matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name]) => name);
    expect(Object.keys(env).filter((name) => !used.includes(name))).to.deep.equal([]);
    expect(readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n')).to.include('.env');
  });

  it('sets everything that its config and the definitions require', async () => {
    const config = await checkConfig(
      'lintel.config.json',
      join(ROOT, 'definitions'),
      readEnvironment(services['lintel-1']),
    );
    expect(services['lintel-2']).to.deep.equal(services['lintel-1']);
    expect(readEnvironment(services['migrate'])).to.deep.equal(readEnvironment(services['lintel-1']));
    expect(seconds(services['lintel-1']?.['stop_grace_period'])).to.be.greaterThan(ending(config));
    expect(config.http.trusted_proxies).to.equal(1);
    expect(config.migrate).to.equal(false);
  });

  it('names only existing services', () => {
    const names = Object.keys(services);
    const hosts = Object.values(readEnvironment(services['lintel-1'])).flatMap((value) => {
      const [, host] = /^[a-z]+:\/\/(?:[^@/]*@)?([a-z0-9-]+):\d+/.exec(value) ?? [];
      return host === undefined ? [] : [host];
    });
    expect(hosts).to.include.members(['postgres', 'redis', 's3']);
    for (const host of hosts) expect(names).to.include(host);
    for (const service of Object.values(services)) {
      for (const name of Object.keys(service['depends_on'] ?? {})) expect(names).to.include(name);
    }
  });

  it('accepts connections of this machine only, unless an address is chosen', () => {
    const ports = Object.values(services).flatMap((service) => (service['ports'] ?? []) as string[]);
    expect(ports).to.have.length(2);
    for (const port of ports) expect(interpolateEnv(port, {})).to.match(/^127\.0\.0\.1:\d+:\d+$/);
  });

  it('runs every process of Lintel without unnecessary rights', () => {
    for (const name of ['lintel-1', 'lintel-2', 'migrate']) {
      const service = services[name] ?? {};
      expect(service['read_only'], name).to.equal(true);
      expect(service['cap_drop'], name).to.deep.equal(['ALL']);
      expect(service['tmpfs'], name).to.have.length(1);
      expect(service['user'], name).to.equal(undefined);
    }
    expect(Object.keys(COMMANDS)).to.include(getAtPath(services['migrate'], 'command.0'));
  });

  it('allows enough connections in the database', async () => {
    const config = await checkConfig(
      'lintel.config.json',
      join(ROOT, 'definitions'),
      readEnvironment(services['lintel-1']),
    );
    const pool = Number(config.chosen.find(({ kind }) => kind === 'dialect')?.options['pool_size']);
    const most = Number(/max_connections=(\d+)/.exec(JSON.stringify(services['postgres']))?.[1]);
    expect(pool).to.be.greaterThan(0);
    expect(most).to.be.at.least(2 * pool + 10);
  });
});

describe('deploy/haproxy.cfg', () => {
  const proxy = readDeploy('haproxy.cfg');

  it('requests the status page more often than a stopping process stays alive', async () => {
    expect(proxy).to.contain(`uri ${status}/ready`);
    const [, every, fails] = /check inter (\d+)s .*fall (\d+)/.exec(proxy) ?? [];
    const config = await checkConfig(
      'lintel.config.json',
      join(ROOT, 'definitions'),
      readEnvironment(services['lintel-1']),
    );
    expect(Number(every) * (Number(fails) + 1)).to.be.lessThan(config.http.timeouts.linger);
  });

  it('sends requests to the services, at the port of the image', () => {
    const port = /\bPORT=(\d+)/.exec(last('ENV'))?.[1];
    const servers = [...proxy.matchAll(/^ {2}server \S+ "\$\{\w+-([a-z0-9-]+):(\d+)\}"/gm)];
    expect(servers.map(([, host]) => host)).to.deep.equal(['lintel-1', 'lintel-2']);
    for (const [, host = '', there] of servers) {
      expect(services).to.have.property(host);
      expect(there).to.equal(port);
    }
  });
});

describe('deploy/kubernetes', () => {
  const deployment = manifest('Deployment');
  const pod = getAtPath(deployment, 'spec.template.spec') as Tree;
  const container = getAtPath(pod, 'containers.0') as Tree;
  const given = (manifest('Secret')['stringData'] ?? {}) as Record<string, string>;

  it('lists every manifest except the secrets, which an update must not replace, and the files of its config maps', () => {
    const others = KUBERNETES.filter((name) => name !== 'kustomization.yaml');
    const secrets = others.filter((name) => readYaml(`kubernetes/${name}`).some((each) => each['kind'] === 'Secret'));
    expect(secrets).to.deep.equal(['secret.example.yaml']);
    expect(kustomization['resources']).to.have.members(others.filter((name) => !secrets.includes(name)));
    expect(kustomization).not.to.have.property('secretGenerator');
    expect(getAtPath(manifest('Secret'), 'metadata.namespace')).to.equal(kustomization['namespace']);
    for (const map of kustomization['configMapGenerator'] as Tree[]) {
      for (const file of map['files'] as string[])
        expect(existsSync(join(DEPLOY, 'kubernetes', file)), file).to.equal(true);
    }
    for (const each of manifests)
      expect([each['apiVersion'], each['kind'], getAtPath(each, 'metadata.name')]).not.to.include(undefined);
  });

  it('sets everything that its config and the definitions require, and a grace period', async () => {
    const config = await checkConfig('kubernetes/lintel.config.json', join(DEPLOY, 'kubernetes', 'definitions'), given);
    expect(pod['terminationGracePeriodSeconds']).to.be.greaterThan(ending(config));
    expect(config.http.timeouts.linger).to.be.greaterThan(0);
    expect(config.migrate).to.equal(false);
    const pool = Number(config.chosen.find(({ kind }) => kind === 'dialect')?.options['pool_size']);
    expect((Number(getAtPath(manifest('HorizontalPodAutoscaler'), 'spec.maxReplicas')) + 1) * pool).to.be.below(100);
  });

  it('probes the status path at a port of the container', () => {
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) =>
      getAtPath(container, `${name}.httpGet.path`),
    );
    expect(paths).to.deep.equal([`${status}/live`, `${status}/live`, `${status}/ready`]);
    expect(getAtPath(container, 'ports.0.name')).to.equal('http');
    expect(String(getAtPath(container, 'ports.0.containerPort'))).to.equal(getAtPath(container, 'env.1.value'));
    for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      expect(getAtPath(container, `${name}.httpGet.port`)).to.equal('http');
    }
  });

  it('runs as the user of the image, with /tmp as the only writable folder', () => {
    for (const [kind, path] of [
      ['Deployment', 'spec.template.spec'],
      ['Job', 'spec.template.spec'],
    ] as const) {
      const spec = getAtPath(manifest(kind), path);
      expect(
        `${String(getAtPath(spec, 'securityContext.runAsUser'))}:${String(getAtPath(spec, 'securityContext.runAsGroup'))}`,
      ).to.equal(last('USER'));
      expect(getAtPath(spec, 'securityContext.runAsNonRoot')).to.equal(true);
      expect(getAtPath(spec, 'containers.0.securityContext.readOnlyRootFilesystem')).to.equal(true);
      expect(Object.keys(COMMANDS)).to.include(getAtPath(spec, 'containers.0.args.0'));
    }
    const mounts = container['volumeMounts'] as Tree[];
    expect(mounts.filter((mount) => mount['readOnly'] !== true).map((mount) => mount['mountPath'])).to.deep.equal([
      '/tmp',
    ]);
  });

  it('refers to existing names', () => {
    const app = { app: 'lintel' };
    expect(getAtPath(deployment, 'spec.selector.matchLabels')).to.deep.equal(app);
    expect(getAtPath(deployment, 'spec.template.metadata.labels')).to.deep.equal(app);
    expect(getAtPath(manifest('Service'), 'spec.selector')).to.deep.equal(app);
    expect(getAtPath(manifest('PodDisruptionBudget'), 'spec.selector.matchLabels')).to.deep.equal(app);
    expect(getAtPath(manifest('NetworkPolicy'), 'spec.podSelector.matchLabels')).to.deep.equal(app);
    expect(getAtPath(manifest('HorizontalPodAutoscaler'), 'spec.scaleTargetRef.name')).to.equal('lintel');
    expect(getAtPath(manifest('Ingress'), 'spec.rules.0.http.paths.0.backend.service.name')).to.equal('lintel');
    expect(getAtPath(container, 'envFrom.0.secretRef.name')).to.equal(getAtPath(manifest('Secret'), 'metadata.name'));
    const maps = (kustomization['configMapGenerator'] as Tree[]).map((map) => map['name']);
    const used = (pod['volumes'] as Tree[]).flatMap((volume) => getAtPath(volume, 'configMap.name') ?? []);
    expect(used).to.have.members(maps);
  });
});
