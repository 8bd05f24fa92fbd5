import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, it } from 'vitest'
import { childEnvironment } from './support/child-environment.ts'
import { createTestDatabase } from './support/test-database.ts'

const binary = fileURLToPath(new URL('../bin/flowpost.js', import.meta.url))

/** A module that prints the name of each loaded package once, on standard error. */
const reportPackages = `
import { registerHooks } from 'node:module'
const seen = new Set()
registerHooks({
  load(url, context, next) {
    const name = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1]
    if (name && !seen.has(name)) {
      seen.add(name)
      process.stderr.write('loaded ' + name + '\\n')
    }
    return next(url, context)
  },
})`

// Packages that are loaded only if a trace collector is configured, or on a terminal. `prom-client` loads `@opentelemetry/api`.
const optionalPackages = ['@opentelemetry/core', '@opentelemetry/sdk-trace', '@opentelemetry/exporter-trace-otlp-proto', 'pino-pretty']

/** Returns the packages that a process with this role loads until it is ready. */
const loadPackages = async (role: string, env: Readonly<Record<string, string>> = {}): Promise<ReadonlySet<string>> => {
  const database = await createTestDatabase()
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(reportPackages)}`, binary], {
    env: { ...childEnvironment, PORT: '0', FLOWPOST_ROLE: role, ...database.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const ready = Promise.withResolvers<void>()
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
    if (output.includes('ready on')) ready.resolve()
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  child.on('exit', () => ready.reject(new Error(`The process ended: ${errors}`)))
  await ready.promise
  child.kill('SIGTERM')
  await exited
  await database.remove()
  return new Set([...errors.matchAll(/^loaded (.+)$/gm)].map(([, name]) => name ?? ''))
}

// The roles `api` and `worker` need a database that processes can share.
describe.runIf(inject('postgres'))('packages by role', () => {
  it('a worker loads neither Express nor the embedded database', async () => {
    const loaded = await loadPackages('worker')
    expect(loaded).toContain('pg')
    for (const name of ['express', '@ts-rest/express', '@electric-sql/pglite', 'nodemailer', ...optionalPackages])
      expect(loaded).not.toContain(name)
  })

  it('a process with a collector loads OpenTelemetry', async () => {
    expect(await loadPackages('worker', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })).toContain('@opentelemetry/sdk-trace')
  })

  it('an API process loads neither nodemailer nor the embedded database', async () => {
    const loaded = await loadPackages('api')
    expect(loaded).toContain('express')
    for (const name of ['nodemailer', '@electric-sql/pglite', ...optionalPackages]) expect(loaded).not.toContain(name)
  })
})
