// Sees to it that the tests that drive a browser run in CI: where there is none, and root may install one, it installs
// Chromium from the distribution. Fails never, because the tests skip without one; says what it did, or why it did nothing.
import { spawnSync } from 'node:child_process'
import { findChromium } from './chromium.ts'

const whySkipped = (): string | undefined => {
  if (process.env['CI'] !== 'true') return 'this is not CI'
  if (process.getuid?.() !== 0) return 'only root may install one'
  return spawnSync('apt-get', ['--version']).error && 'there is no apt-get'
}

/** Runs apt-get for so many seconds at most, and shows the end of what it says where it fails. */
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
  // Old lists may do too. What is cut short is the download, not what dpkg does with it.
  aptGet(120, 'update')
  if (aptGet(300, 'install', '--download-only', ...chromium)) aptGet(300, 'install', ...chromium)
}

const found = findChromium()
const reason = found === undefined ? whySkipped() : undefined
if (found === undefined && reason === undefined) install()

const path = findChromium()
if (path === undefined)
  console.log(`No Chromium, and none was installed${reason ? `: ${reason}` : ''}. The tests that drive a browser are skipped.`)
else console.log(`${found === undefined ? 'Installed' : 'Found'} ${path}.`)
