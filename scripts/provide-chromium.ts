// Installs Chromium from the Debian repositories for browser tests in CI, if none is installed and the user is root. Never
// fails, because browser tests are skipped if there is no Chromium. Prints what it did, or why it did nothing.
import { spawnSync } from 'node:child_process'
import { findChromium } from './chromium.ts'

const whySkipped = (): string | undefined => {
  if (process.env['CI'] !== 'true') return 'this is not CI'
  if (process.getuid?.() !== 0) return 'only root can install it'
  return spawnSync('apt-get', ['--version']).error && 'apt-get is not available'
}

/** Runs apt-get with a time limit, and returns whether apt-get succeeded. On failure, prints the end of the output. */
const aptGet = (seconds: number, ...args: string[]): boolean => {
  const network = ['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::https::Timeout=20', '-o', 'Acquire::Retries=1']
  const { status, stdout, stderr, error } = spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=60', ...network, ...args], {
    encoding: 'utf8',
    timeout: seconds * 1000,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (status === 0) return true
  console.log(`apt-get ${args.join(' ')}: ${error?.message ?? `${stdout}${stderr}`.trim().split('\n').slice(-3).join('\n')}`)
  return false
}

const install = (): void => {
  const chromium = ['--yes', '--no-install-recommends', 'chromium']
  // Continues even if the update fails, because the old package lists may still be usable.
  aptGet(120, 'update')
  // Downloads and installs in separate steps, so that a slow download does not use up the time limit of the installation.
  if (aptGet(300, 'install', '--download-only', ...chromium)) aptGet(300, 'install', ...chromium)
}

const found = findChromium()
const reason = found === undefined ? whySkipped() : undefined
if (found === undefined && reason === undefined) install()

const path = findChromium()
if (path === undefined) console.log(`Chromium is not installed${reason ? `: ${reason}` : ''}. Browser tests are skipped.`)
else console.log(`${found === undefined ? 'Installed' : 'Found'} ${path}.`)
