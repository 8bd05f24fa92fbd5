import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { environmentVariables, readConfig } from '../apps/api/src/config/config.ts'

const lines = readFileSync(new URL('../.env.example', import.meta.url), 'utf8').split('\n')

const variables = lines.flatMap((line, index) => {
  const [, name, value] = /^#([A-Z][A-Z_]+)=(.*)$/.exec(line) ?? []
  const comment = lines[index - 1] ?? ''
  const isExample = comment.startsWith('# ') && /Examples?:$/.test(comment)
  return name === undefined || value === undefined ? [] : [{ name, value, isExample }]
})

it('.env.example lists every server variable once', () => {
  expect(variables.map(({ name }) => name).sort()).toEqual([...environmentVariables].sort())
})

it('the examples in .env.example are valid', () => {
  const { FLOWPOST_OUTBOX, ...others } = Object.fromEntries(
    variables.filter(({ isExample }) => isExample).map(({ name, value }) => [name, value]),
  )
  expect(() => readConfig(others)).not.toThrow()
  // Tested separately, because `FLOWPOST_OUTBOX=local` is valid only without the settings of a production server.
  expect(() => readConfig({ FLOWPOST_OUTBOX })).not.toThrow()
})

it.each(variables.filter(({ isExample }) => !isExample))('the value of $name in .env.example is its default', ({ name, value }) => {
  expect(readConfig({ [name]: value })).toEqual(readConfig({}))
})
