import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const script = fileURLToPath(new URL('../src/flowpost.ts', import.meta.url))

const { mock, server, home } = await startCliServer()
const project = mock.seed.project({ name: 'billing' })
mock.seed.flow({ project, target: 'ops@example.com' })
mock.seed.eventEndpoint({ project })
const { id } = await mock.client().notifications.send({ project_id: project.id, subject: 's', message: 'm' }).settled()

const env = {
  ...process.env,
  NO_COLOR: '1',
  HOME: home,
  XDG_CONFIG_HOME: '',
  FLOWPOST_BASE_URL: server.url,
  FLOWPOST_API_KEY: mock.apiKey,
}

/** Runs a command with a standard output that accepts no data, as on a full disk. */
const runWithFullDisk = async (...args: string[]) => {
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [script, ...args], { cwd: home, env, stdio: ['ignore', full, 'pipe'] })
  closeSync(full)
  const [stderr] = await Promise.all([text(child.stderr as Readable), once(child, 'exit')])
  return { code: child.exitCode, stderr }
}

/** Runs a shell script whose `"$0" "$@"` is the program with its arguments. */
const runInShell = async (shellScript: string, ...args: string[]) => {
  const child = spawn('bash', ['-c', shellScript, process.execPath, script, ...args], {
    cwd: home,
    // The limit of `ulimit` would also apply to the files of the compile cache.
    env: { ...env, NODE_DISABLE_COMPILE_CACHE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, stdout, stderr }
}

const failure = 'Standard output cannot be written: ENOSPC: no space left on device, write'

describe.skipIf(!existsSync('/dev/full'))('a command whose output cannot be written', () => {
  it('exits with 1 and says why', async () => {
    expect(await runWithFullDisk('--help')).toEqual({ code: 1, stderr: `Error: ${failure}\n` })
  })

  it('says that a created key must be revoked', async () => {
    const { code, stderr } = await runWithFullDisk('keys', 'create', 'svc', '--scope', 'notifications:send', '--json')
    const [warning, error = '', ...others] = stderr.trimEnd().split('\n')
    const { data } = await mock.client().apiKeys.list()
    expect(warning).toContain(`Revoke it: flowpost keys revoke ${data.find(({ name }) => name === 'svc')?.id}`)
    expect(JSON.parse(error)).toEqual({ error: { code: 'usage', message: failure, hint: null } })
    expect([code, others]).toEqual([1, []])
  })

  it.each([['--json'], []])('says which signing secrets must be rotated with %j', async (...options) => {
    const key = `shop-${options.length}`
    const config = { project: { key, name: key }, flows: {}, event_endpoints: { audit: { events: ['delivery.failed'] } } }
    writeFileSync(join(home, 'shop.config.mjs'), `export default ${JSON.stringify(config)}`)
    const { code, stderr } = await runWithFullDisk('apply', 'shop.config.mjs', '--yes', ...options)
    expect([code, stderr]).toEqual([1, expect.stringContaining('Rotate them: audit\n')])
  })

  it('ends although it would run until Ctrl-C, and stores no cursor after an event that was not written', async () => {
    const { code, stderr } = await runWithFullDisk('events', 'tail', '--json', '--cursor-file', 'feed.cursor')
    expect([code, JSON.parse(stderr)]).toEqual([1, { error: expect.objectContaining({ message: failure }) }])
    expect(existsSync(join(home, 'feed.cursor'))).toBe(false)
    expect(await runWithFullDisk('log', '--follow')).toMatchObject({ code: 1, stderr: expect.stringContaining(failure) })
  })
})

describe.skipIf(process.platform === 'win32')('a command whose output is lost in part', () => {
  it('exits with 1 when only the start of its output fits in the file', async () => {
    const { stdout, stderr } = await runInShell('ulimit -f 1; "$0" "$@" > sent.json; echo $?', 'log', id, '--json')
    expect(readFileSync(join(home, 'sent.json'))).toHaveLength(1024)
    expect([stdout, stderr]).toEqual(['1\n', expect.stringContaining('Standard output cannot be written: EFBIG')])
  })

  it('says that a created key must be revoked when the reader ends early, and exits with 0', async () => {
    const { stdout, stderr } = await runInShell('"$0" "$@" | true; echo $PIPESTATUS', 'keys', 'create', 'unread', '--json')
    expect([stdout, stderr]).toEqual(['0\n', expect.stringMatching(/^Warning: .+ Revoke it: flowpost keys revoke key_\w+\n$/)])
  })
})
