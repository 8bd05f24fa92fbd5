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
