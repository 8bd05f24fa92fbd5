import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, it } from 'vitest'
import { createTestDatabase } from './support/test-database.ts'

const binary = fileURLToPath(new URL('../bin/flowpost.js', import.meta.url))

/** Tells on standard error of every package that is loaded, once. */
const spy = `
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

/** The packages that a process of a role has loaded when it is ready. */
const loadedBy = async (role: string): Promise<ReadonlySet<string>> => {
  const database = await createTestDatabase()
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(spy)}`, binary], {
    env: { PATH: process.env['PATH'], PORT: '0', FLOWPOST_ROLE: role, ...database.env },
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
  child.on('exit', () => ready.reject(new Error(`The process has ended: ${errors}`)))
  await ready.promise
  child.kill('SIGTERM')
  await exited
  await database.remove()
  return new Set([...errors.matchAll(/^loaded (.+)$/gm)].map(([, name]) => name ?? ''))
}

// Roles need a database that processes can share.
describe.runIf(inject('postgres'))('a process loads what its role needs', () => {
  it('as a worker: no Express, and no database of its own', async () => {
    const loaded = await loadedBy('worker')
    expect(loaded).toContain('pg')
    for (const name of ['express', '@ts-rest/express', '@electric-sql/pglite', 'nodemailer']) expect(loaded).not.toContain(name)
  })

  it('as an API: no nodemailer, and no database of its own', async () => {
    const loaded = await loadedBy('api')
    expect(loaded).toContain('express')
    for (const name of ['nodemailer', '@electric-sql/pglite']) expect(loaded).not.toContain(name)
  })
})
