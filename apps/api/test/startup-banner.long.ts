import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { childEnvironment } from './support/child-environment.ts'
import { createTestDatabase } from './support/test-database.ts'

const run = promisify(execFile)
const binary = fileURLToPath(new URL('../bin/flowpost.js', import.meta.url))

/**
 * Starts the server in a process, and resolves when the server is ready. `output` returns everything that the server has
 * printed.
 */
const startProcess = async (env: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, [binary], {
    env: { ...childEnvironment, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const ready = Promise.withResolvers<void>()
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
      if (output.includes('ready on')) ready.resolve()
    })
  child.once('exit', () => ready.reject(new Error(output)))
  await ready.promise
  return {
    output: () => output,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

it('prints commands that send a first message, and a link to the outbox that contains it', async ({ skip }) => {
  if (
    await run('curl', ['--version']).then(
      () => false,
      () => true,
    )
  )
    skip('curl is not installed.')
  const database = await createTestDatabase()
  if (database.url !== undefined) {
    await database.remove()
    return skip('Only the first start on the embedded database creates a key.')
  }
  {
    await using server = await startProcess(database.env)
    const commands = server.output().split('appears in the outbox:\n')[1] ?? ''
    const { stdout } = await run('/bin/sh', ['-euc', commands], { env: childEnvironment })
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ status: 'sent', deliveries: [{ captured: true }] })

    const link = /http:\S+\/outbox\?token=\S+/.exec(server.output())?.[0] ?? ''
    const opened = await fetch(link, { redirect: 'manual' })
    const [cookie = ''] = (opened.headers.get('set-cookie') ?? '').split(';')
    expect(await (await fetch(link.replace(/\?.*/, ''), { headers: { cookie } })).text()).toContain('Invoice 42')
    const [, token = 'none'] = link.split('token=')
    expect(server.output().split(token)).toHaveLength(2)
  }
  await database.remove()
})
