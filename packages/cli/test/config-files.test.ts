import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const { mock, server, run, home } = await startCliServer()
const names = ['ts', 'mts', 'js', 'mjs'].map((extension) => `flowpost.config.${extension}`)
const pathOf = (name: string) => join(home, name)
const readText = (name: string) => readFileSync(pathOf(name), 'utf8')

const config = (key: string, flow: object = {}) =>
  `export default ${JSON.stringify({
    project: { key, name: key },
    flows: { z: { source_type: 'smtp', target: 'z@example.com' }, a: { source_type: 'smtp', target: 'ops@example.com', ...flow } },
  })}`

beforeEach(() => {
  mock.reset()
  for (const name of names) rmSync(pathOf(name), { force: true })
})

describe('the commands that drift suggests', () => {
  /** Applies a config file, changes it, and returns the suggested commands. */
  const suggest = async (file: string, ...args: string[]) => {
    writeFileSync(pathOf(file), config('billing'))
    expect(await run(['apply', file, '--yes'])).toMatchObject({ code: 0 })
    writeFileSync(pathOf(file), config('billing', { target: 'other@example.com' }))
    const { code, stderr } = await run(['drift', file, ...args])
    expect(code).toBe(2)
    return [...stderr.matchAll(/`flowpost ([^`]*)`/g)].map(([, command = '']) => command)
  }

  it('use the compared file and its project', async () => {
    writeFileSync(pathOf('flowpost.config.ts'), config('shop'))
    expect(await run(['apply', '--yes'])).toMatchObject({ code: 0 })
    const [apply, pull = ''] = await suggest('billing.config.ts')
    expect([apply, pull]).toEqual(['apply billing.config.ts', 'pull billing.config.ts --project billing --force'])
    expect(await run(pull.split(' '))).toMatchObject({ code: 0 })
    expect(readText('flowpost.config.ts')).toBe(config('shop'))
    expect(await run(['drift', 'billing.config.ts'])).toMatchObject({ code: 0 })
  })

  it('use the default file if none is given', async () => {
    writeFileSync(pathOf('flowpost.config.mjs'), config('billing'))
    expect((await run(['drift'])).stderr).toContain('`flowpost apply flowpost.config.mjs`')
  })

  it('use the same environment, and quote a file name for the shell', async () => {
    const login = ['login', 'staging', '--url', server.url]
    expect(await run(login, { stdin: mock.apiKey })).toMatchObject({ code: 0 })
    expect((await suggest("it's mine.ts", '--env', 'staging'))[0]).toBe(`apply 'it'\\''s mine.ts' --env staging`)
  })
})

describe('the default config file', () => {
  it.each(names)('is the existing %s for pull, which overwrites it only with --force', async (name) => {
    const text = config('billing', { target: 'mine@example.com' })
    writeFileSync(pathOf(name), text)
    expect(await run(['apply', '--yes'])).toMatchObject({ code: 0 })
    expect(await run(['pull'])).toMatchObject({ code: 1, stderr: `Error: ${pathOf(name)} exists.\nPass --force to overwrite it.\n` })
    expect(readText(name)).toBe(text)
    expect(await run(['pull', '--force'])).toMatchObject({ code: 0, stdout: `Wrote ${pathOf(name)} with 2 flows.\n` })
    expect(await run(['drift'])).toMatchObject({ code: 0 })
  })

  it('is the existing file for import', async () => {
    writeFileSync(pathOf('flowpost.config.mjs'), config('billing'))
    const args = ['import', 'apprise', 'mailto://ann:secret@example.com?to=ops@example.com']
    expect(await run(args)).toMatchObject({ code: 1, stderr: expect.stringContaining(`${pathOf('flowpost.config.mjs')} exists.`) })
  })

  it('is ambiguous if a folder has several', async () => {
    for (const name of ['flowpost.config.js', 'flowpost.config.mts']) writeFileSync(pathOf(name), config('billing'))
    for (const args of [['validate'], ['plan'], ['pull', '--force']])
      expect(await run(args)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('There are several config files: flowpost.config.mts, flowpost.config.js.'),
      })
    expect(await run(['validate', 'flowpost.config.js'])).toMatchObject({ code: 0 })
    expect(readText('flowpost.config.js')).toBe(config('billing'))
  })
})

it('is not written with an extension of a data format', async () => {
  for (const args of [
    ['pull', 'settings.json'],
    ['import', 'apprise', 'mailto://ann:secret@example.com', '-o', 'settings.yaml'],
  ])
    expect(await run(args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('A config file is a program with the extension .ts, .mts, .js, .mjs.'),
    })
})
