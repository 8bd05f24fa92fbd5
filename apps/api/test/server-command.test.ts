import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { childEnvironment } from './support/child-environment.ts'
import { readFromRepository, repositoryFolder } from './support/guide-pages.ts'

it('flowpost-server --help names a page of the documentation', async () => {
  const command = join(repositoryFolder, 'apps/api/bin/flowpost-server.js')
  const { stdout } = await promisify(execFile)(process.execPath, [command, '--help'], { env: childEnvironment })
  const [, page = ''] = /https:\/\/github\.com\/flowpost\/flowpost\/blob\/main\/(\S+)/.exec(stdout) ?? []
  expect(readFromRepository(page)).toMatch(/^# Configuration$/m)
})
