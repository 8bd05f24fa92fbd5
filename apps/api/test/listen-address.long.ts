import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { childEnvironment } from './support/child-environment.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'

const binary = fileURLToPath(new URL('../bin/flowpost.js', import.meta.url))

let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.remove())

/** Starts the server, which must end with exit code 1. Returns what it prints to standard error. */
const readStartupError = async (env: Readonly<Record<string, string>>): Promise<string> => {
  let errors = ''
  const child = execFile(process.execPath, [binary], { env: { ...childEnvironment, ...database.env, PORT: '0', ...env } })
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  expect(await once(child, 'close')).toEqual([1, null])
  return errors
}

it.each([
  ['flowpost.invalid', /getaddrinfo \w+ flowpost\.invalid/],
  ['192.0.2.1', /listen EADDRNOTAVAIL: address not available 192\.0\.2\.1/],
])('reports HOST=%s as a configuration error', async (host, reason) => {
  const errors = await readStartupError({ HOST: host })
  expect(errors).toMatch(/^\nInvalid configuration \(1 issue\):\n {2}HOST must be an IP address or a host name of this machine, .*\n\n$/)
  expect(errors).toMatch(reason)
})

it('reports a port that is in use, and names PORT', async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as AddressInfo
  expect(await readStartupError({ PORT: String(port) })).toBe('\nAnother process uses the port. Set PORT to a free port.\n\n')
  holder.close()
})
