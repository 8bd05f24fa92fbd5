import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { childEnvironment } from './support/child-environment.ts'
import { createTestDatabase } from './support/test-database.ts'

const main = fileURLToPath(new URL('../bin/flowpost.js', import.meta.url))

it.skipIf(process.platform !== 'linux')('accepts 32 connections with a limit of 288 open files, and closes the next one', async () => {
  const database = await createTestDatabase()
  const child = spawn('/bin/sh', ['-c', 'ulimit -n 288 && exec "$0" "$1"', process.execPath, main], {
    env: { ...childEnvironment, ...database.env, PORT: '0', HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const clients: Socket[] = []
  onTestFinished(async () => {
    for (const client of clients) client.destroy()
    child.kill('SIGKILL')
    if (child.exitCode === null) await once(child, 'exit')
    await database.remove()
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
  })
  await expect.poll(() => printed, { timeout: 60_000 }).toMatch(/http:\/\/localhost:\d+/)
  const port = Number(/http:\/\/localhost:(\d+)/.exec(printed)?.[1])

  let closed = 0
  for (let count = 0; count < 33; count += 1) {
    const client = connect(port, '127.0.0.1')
    clients.push(client)
    client.on('error', () => {})
    client.once('close', () => {
      closed += 1
    })
    await once(client, 'connect')
  }
  await expect.poll(() => closed).toBe(1)
  expect(clients.at(-1)?.closed).toBe(true)
  await expect.poll(() => printed).toContain('Rejected connections because the connection limit was reached.')
})
