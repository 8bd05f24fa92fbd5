import { spawnSync } from 'node:child_process'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hoversOf } from './support/hovers.ts'
import { installPacked, root, workspace } from './support/packed.ts'
import { declarations, invalidCalls, invalidProgram, validProgram } from './support/typed-names.ts'

let folder: string
let project: string

beforeAll(async () => {
  ;({ folder, project } = await installPacked())
  await mkdir(join(project, 'node_modules/@types'))
  await symlink(join(workspace, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'))
}, 180_000)

afterAll(() => rm(folder, { recursive: true }))

const compilers = { '5.9': join(workspace, 'packages/openapi-clients'), '6.0': root, '7.0': workspace }

/** Compiles a program in a folder in the project. Returns the lines that the compiler prints. */
const compile = async (name: string, compiler: keyof typeof compilers, type: string, files: Record<string, string>): Promise<string[]> => {
  const path = join(project, `${name}-${compiler}-${type}`)
  await mkdir(path)
  const options = { strict: true, skipLibCheck: false, noEmit: true, target: 'es2022', module: 'nodenext', types: ['node'] }
  const config = { compilerOptions: { ...options, exactOptionalPropertyTypes: true }, files: Object.keys(files) }
  await writeFile(join(path, 'package.json'), JSON.stringify({ type }))
  await writeFile(join(path, 'tsconfig.json'), JSON.stringify(config))
  for (const [file, source] of Object.entries(files)) await writeFile(join(path, file), source)
  const tsc = join(compilers[compiler], 'node_modules/typescript/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', path, '--pretty', 'false'], { cwd: path, encoding: 'utf8' })
  return stdout.trim().split('\n').filter(Boolean)
}

describe.each(['5.9', '6.0', '7.0'] as const)('TypeScript %s', { timeout: 60_000 }, (compiler) => {
  it('accepts any name without a flowpost.d.ts', async () => {
    expect(await compile('plain', compiler, 'module', { 'valid.ts': validProgram, 'invalid.ts': invalidProgram })).toEqual([])
  })

  // CommonJS packages are tested only with the newest compiler: all compilers resolve types in the same way, and the
  // older ones are slow.
  it.each(compiler === '7.0' ? ['module', 'commonjs'] : ['module'])(
    'rejects all names except those in flowpost.d.ts, and says why, in a package of type %s',
    async (type) => {
      const files = { 'flowpost.d.ts': declarations, 'valid.ts': validProgram, 'invalid.ts': invalidProgram }
      const output = await compile('typed', compiler, type, files)
      const lines = invalidProgram.split('\n')
      for (const [call, message] of invalidCalls) {
        const at = `invalid.ts(${lines.findIndex((line) => line.includes(call)) + 1},`
        const start = output.findIndex((line) => line.startsWith(at))
        // The lines that explain an error are indented.
        const end = output.findIndex((line, index) => index > start && !line.startsWith(' '))
        const error = start < 0 ? '' : output.slice(start, end < 0 ? undefined : end).join('\n')
        expect(error, call).toMatch(message)
      }
      expect(output.filter((line) => !line.startsWith(' ') && !line.startsWith('invalid.ts('))).toEqual([])
    },
  )
})

it('shows the documentation of the methods with and without a flowpost.d.ts', () => {
  const operations = [
    'notifications.send',
    'notifications.preview',
    'notifications.sendBatch',
    'notifications.sendMany',
    'notifications.get',
  ]
  const plain = hoversOf(project, operations)
  const typed = hoversOf(project, operations, declarations)
  for (const [index, { operation, documentation, tags }] of plain.entries())
    expect(typed[index], operation).toMatchObject({ documentation, tags })
  expect(plain[0]?.signature).toContain('NotificationsOperations.send(body: NotificationSend, options?: IdempotentOptions)')
  expect(typed[0]?.documentation).toContain('Renders the message for each triggered flow')
  expect(typed[0]?.signature).toBe(
    '(method) send<Project extends ProjectKey = never, Flow extends FlowKey<Project> = never>(body: KnownSend<Project, Flow>, options?: IdempotentOptions): SendCall<Notification, NotificationWithAttempts>',
  )
})
