import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startTinyServer } from './tiny-server.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const workspace = join(root, '../..')

/** Joins the examples of a page into one program. Later examples use the variables of earlier ones. */
const programOf = async (page: string): Promise<string> => {
  const blocks = [...(await readFile(join(root, page), 'utf8')).matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '')
  const lines = blocks.join('\n').split('\n')
  const imports = lines.filter((line) => line.startsWith('import '))
  return [...imports, ...lines.filter((line) => !line.startsWith('import ')), 'export {}', ''].join('\n')
}

/** Creates a project folder with the package installed. */
const createProject = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-examples-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'node_modules/@flowpost'), { recursive: true })
  await mkdir(join(folder, 'node_modules/@types'))
  await symlink(root, join(folder, 'node_modules/@flowpost/client'))
  await symlink(join(workspace, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ extends: join(workspace, 'tsconfig.base.json'), files: ['example.ts'] }))
  return folder
}

const run = async (command: string, args: string[], cwd: string, env: Record<string, string> = {}) => {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env } })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code: child.exitCode, stdout, stderr }
}

describe.each([
  ['README.md', ['queued', 'ops@example.com sent undefined', 'The project already exists.', 'notifications.get 200', 'is stored']],
  ['docs/errors-and-retries.md', ['Create a flow first.', '\n1\n', 'undefined']],
])('the examples of %s', (page, printed) => {
  it('compile', { timeout: 60_000 }, async () => {
    const folder = await createProject()
    await writeFile(join(folder, 'example.ts'), await programOf(page))
    const compiled = await run(process.execPath, [join(workspace, 'node_modules/typescript/bin/tsc'), '-p', folder], folder)
    expect(compiled).toMatchObject({ code: 0, stdout: '' })
  })

  it('print the documented output', { timeout: 60_000 }, async () => {
    await using server = await startTinyServer()
    const folder = await createProject()
    await writeFile(join(folder, 'example.ts'), await programOf(page))
    const env = { FLOWPOST_BASE_URL: server.baseUrl, FLOWPOST_API_KEY: 'fp_example' }
    // The examples must also work on a second run.
    for (const _ of ['once', 'again']) {
      const ran = await run(process.execPath, ['example.ts'], folder, env)
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      for (const line of printed) expect(ran.stdout).toContain(line)
    }
  })
})

describe('the documentation', () => {
  it.each(['README.md', 'docs/errors-and-retries.md', 'docs/reference.md', 'docs/versioning.md'])(
    'links only to existing files: %s',
    async (page) => {
      const links = [...(await readFile(join(root, page), 'utf8')).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] ?? '')
      for (const link of links) await expect(readFile(join(root, page, '..', link), 'utf8')).resolves.toBeTruthy()
    },
  )
})
