import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { api } from '@flowpost/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFlowpostMock } from '../src/index.ts'
import { startMockServer } from '../src/server.ts'

const workspace = resolve(import.meta.dirname, '../../..')
const client = join(workspace, 'packages/client')
const page = await readFile(join(client, 'docs/reference.md'), 'utf8')

/** All operations of the client. The client has no method for `projects.deleteByQuery`. */
const operations = Object.entries(api)
  .flatMap(([group, routes]) => Object.keys(routes).map((name) => `${group}.${name}`))
  .filter((operation) => operation !== 'projects.deleteByQuery')

/** Joins the examples into one program. */
const program = (): string => {
  const lines = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].flatMap((match) => (match[1] ?? '').split('\n'))
  const isImport = (line: string) => line.startsWith('import ')
  return [...lines.filter(isImport), ...lines.filter((line) => !isImport(line)), 'export {}', ''].join('\n')
}

const project = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-reference-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'node_modules/@flowpost'), { recursive: true })
  await mkdir(join(folder, 'node_modules/@types'))
  await symlink(client, join(folder, 'node_modules/@flowpost/client'))
  await symlink(join(workspace, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ extends: join(workspace, 'tsconfig.base.json'), files: ['example.ts'] }))
  await writeFile(join(folder, 'example.ts'), program())
  return folder
}

const run = async (args: string[], cwd: string, env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env } })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, stdout, stderr }
}

describe('the client reference', () => {
  it('has a section with an example for every method', () => {
    const sections = [...page.matchAll(/^### (\S+)\n\n```ts\n([\s\S]*?)^```$/gm)]
    expect(sections.map(([, name]) => name).toSorted()).toEqual([...operations, 'events.follow'].toSorted())
    for (const [, name, example] of sections) expect(example).toContain(`flowpost.${name}(`)
  })

  it('compiles', async () => {
    const folder = await project()
    expect(await run([join(workspace, 'node_modules/typescript/bin/tsc'), '-p', folder], folder)).toMatchObject({ code: 0, stdout: '' })
  })

  it('runs and calls every operation successfully', async () => {
    const mock = createFlowpostMock()
    // Creates a failed delivery for the retry example.
    mock.faults.deliveriesTo('ops@example.com', { fail: 'bounce', times: 1 })
    await using server = await startMockServer(mock)
    const ran = await run(['example.ts'], await project(), { FLOWPOST_BASE_URL: server.url, FLOWPOST_API_KEY: mock.apiKey })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const succeeded = new Set(mock.requests.filter(({ status }) => status !== null && status < 300).map(({ operation }) => operation))
    expect(operations.filter((operation) => !succeeded.has(operation as never))).toEqual([])
    expect(ran.stdout).toContain('ada@example.com sent\nbob@example.com sent')
  })
})
