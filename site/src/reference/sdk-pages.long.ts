import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../repository.ts'
import { readSdkModel, sdkModules, undocumentedExports } from './sdk-model.ts'
import { createSdkPages } from './sdk-pages.ts'

// TypeDoc compiles the packages, which takes minutes on a busy machine.
const timeoutMs = 600_000

it('every export of the published packages has a doc comment', { timeout: timeoutMs }, async () => {
  const { project } = await readSdkModel()
  expect(project.children).toHaveLength(sdkModules.length)
  expect(undocumentedExports(project)).toEqual([])
})

it('the reference shows signatures, defaults, errors and examples', { timeout: timeoutMs }, async () => {
  const pages = new Map((await createSdkPages()).map(({ url, markdown }) => [url.slice('/reference/packages/'.length), markdown]))
  expect(pages.get('client')).toMatch(/### createFlowpost\(\)\n\n```ts\nfunction createFlowpost\(options\?\): Flowpost;\n```/)
  expect(pages.get('client')).toContain('#### Throws')
  expect(pages.get('testing')).toMatch(/`delayMs\?`.*`0`/)
})

it.each(['client', 'testing', 'delivery', 'cli'])('every entry point of @flowpost/%s has a page, unless it exports nothing', (name) => {
  const { exports } = JSON.parse(readFileSync(`${repositoryRoot}packages/${name}/package.json`, 'utf8')) as {
    exports: Record<string, string>
  }
  const files = Object.values(exports).map((path) => `${name}/${path.slice('./'.length)}`)
  const missing = files.filter((file) => !sdkModules.some((module) => module.file === file))
  expect(missing).toEqual(name === 'testing' ? ['testing/src/vitest.ts', 'testing/src/jest.ts'] : [])
})
