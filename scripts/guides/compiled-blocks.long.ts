// Compiles the TypeScript blocks of the guides that other tests neither run nor compare with an example.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { blocksIn, readFromRepository } from '../../apps/api/test/support/guide-pages.ts'
import { installVersion } from '../../bench/src/sdk/npm-install.ts'
import { root } from '../packages/published.ts'
import { findRegistryIssue } from './requirements.ts'

const execute = promisify(execFile)

/** Returns the first TypeScript block in the file `page` whose code contains `text`. */
const findBlock = (page: string, text: string): string => {
  const block = blocksIn(readFromRepository(page)).find(({ language, code }) => language === 'ts' && code.includes(text))
  if (block === undefined) throw new Error(`${page} contains no block with ${text}.`)
  return block.code
}

/** Returns the errors of the compiler for a program in a folder. */
const compile = async (folder: string, program: string): Promise<string> => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'program.ts'), program)
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023']
  const more = ['--allowImportingTsExtensions', '--types', 'node', '--pretty', 'false']
  return execute(join(root, 'node_modules/.bin/tsc'), [...options, ...more, 'program.ts'], { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
}

// From this folder, imports resolve to the dependencies of the server, such as OpenTelemetry.
const serverFolder = join(root, 'apps/api/node_modules/.cache/compiled-blocks')

describe('the program in TypeScript compiles', () => {
  it('in idempotency.md', async () => {
    const declarations = `import type { Flowpost } from '@flowpost/client'
declare const flowpost: Flowpost
declare const invoice: { readonly id: string }
declare const project_id: string, subject: string, message: string\n`
    expect(await compile(serverFolder, declarations + findBlock('docs/guides/idempotency.md', 'notifications.send'))).toBe('')
  })

  it('in telemetry.md', async () => {
    const program = findBlock('docs/operate/telemetry.md', '@opentelemetry/api')
    expect(await compile(serverFolder, `import { createFlowpost } from '@flowpost/client'\n${program}`)).toBe('')
  })
})

const issue = await findRegistryIssue()
if (issue !== undefined && process.env['CI'] === 'true') throw new Error(issue)
if (issue !== undefined) console.log(`Skipped the SDK of Novu: ${issue}`)

describe.skipIf(issue !== undefined)('the program for Novu in move-from-novu.md', () => {
  const page = 'docs/guides/move-from-novu.md'
  const [, version = ''] = /`@novu\/api` (\d+\.\d+\.\d+)/.exec(readFromRepository(page)) ?? []
  const folder = join(root, 'node_modules/.cache/flowpost-guide-sdks/novu')
  beforeAll(() => installVersion(folder, '@novu/api', version), 180_000)

  it('compiles with the version of the SDK that the page names', async () => {
    expect(await compile(folder, findBlock(page, '@novu/api'))).toBe('')
  })

  it('does not compile with a field that the SDK does not have', async () => {
    const program = findBlock(page, '@novu/api').replace('transactionId:', 'idempotencyKey:')
    expect(await compile(folder, program)).toContain("'idempotencyKey' does not exist")
  })
})
