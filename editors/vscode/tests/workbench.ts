/** A VS Code for one run of tests: code-server, with a profile of its own and the extension installed from its .vsix. */

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

import { until } from './until.ts';

/** What a workbench is made of. */
export interface Setup {
  /** An empty folder for the profile, the logs and everything that is written. */
  readonly folder: string;
  /** The package to install. */
  readonly vsix: string;
  /** The folder that `install.sh` filled. */
  readonly installed: string;
  /** Whether suites run inside it. Then it trusts every folder, and shows notifications in their list only. */
  readonly forSuites: boolean;
  /** Settings of the user, beyond those that keep the window quiet. */
  readonly settings?: Record<string, unknown>;
}

/** A running workbench. */
export interface Workbench {
  readonly url: string;
  stop(): Promise<void>;
}

/** Settings that keep away what would cover the editor, or reach for the network. */
const quiet = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'files.autoSave': 'off',
  'workbench.tips.enabled': false,
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'security.workspace.trust.startupPrompt': 'never',
};

/** Installs the extension into a clean profile and starts the server of the window. */
export async function startWorkbench(setup: Setup): Promise<Workbench> {
  const { folder, forSuites } = setup;
  const profile = join(folder, 'profile');
  mkdirSync(join(profile, 'User'), { recursive: true });
  writeFileSync(join(profile, 'User', 'settings.json'), JSON.stringify({ ...quiet, ...setup.settings }));

  const program = [
    join(setup.installed, 'code-server', 'node_modules', 'code-server'),
    ...['--user-data-dir', profile, '--extensions-dir', join(folder, 'extensions')],
  ];
  const environment = environmentIn(folder);
  execFileSync(process.execPath, [...program, '--install-extension', setup.vsix], { env: environment });

  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const log = openSync(join(folder, 'code-server.log'), 'w');
  const options = [
    ...['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check'],
    '--disable-getting-started-override',
    // Without it, a closed page keeps its extension host and its language server for hours.
    ...['--reconnection-grace-time', '5'],
    // Without the option, the page does not take the path of a suite.
    ...(forSuites ? ['--disable-workspace-trust', '--vscode-option', 'enable-smoke-test-driver'] : []),
  ];
  const server = spawn(process.execPath, [...program, ...options], {
    env: environment,
    detached: true,
    stdio: ['ignore', log, log],
  });
  const workbench = { url, stop: () => stop(server) };
  try {
    await until('code-server to answer', () => answers(`${url}/healthz`));
  } catch (error) {
    await workbench.stop();
    throw error;
  }
  return workbench;
}

/** A user who has nothing but a home folder, and no `vramlens` on the search path. */
function environmentIn(folder: string): NodeJS.ProcessEnv {
  const homes = ['CONFIG', 'DATA', 'STATE', 'CACHE'].map((kind) => [
    `XDG_${kind}_HOME`,
    join(folder, 'home', kind.toLowerCase()),
  ]);
  const own = { HOME: join(folder, 'home'), PATH: '/usr/local/bin:/usr/bin:/bin', VRAMLENS_TEST_FOLDER: folder };
  return { ...process.env, ...(Object.fromEntries(homes) as Record<string, string>), ...own };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}

/** Ends the server with all its children. */
async function stop(server: ChildProcess): Promise<void> {
  const { pid } = server;
  const hasEnded = () => server.exitCode !== null || server.signalCode !== null;
  if (pid === undefined || hasEnded()) {
    return;
  }
  process.kill(-pid, 'SIGTERM');
  await until('code-server to end', hasEnded, 10_000).catch(() => process.kill(-pid, 'SIGKILL'));
}
