import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createOpenApiDocument } from '@flowpost/contract'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)

const installed = join(import.meta.dirname, '../node_modules')

const compilerOptions = {
  strict: true,
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  noEmit: true,
  types: [],
}

/** A module that uses the generated types. They must accept valid values and reject invalid ones. */
const consumer = `
import type { components, operations } from './schema.js'
export const minimal: components['schemas']['FlowCreate'] = { name: 'a', source_type: 'telegram', target: 'b' }
export const code: operations['projects.create']['responses'][409]['content']['application/problem+json']['code'] = 'project_name_taken'
// @ts-expect-error The operation does not declare this code for the status.
export const other: operations['projects.create']['responses'][409]['content']['application/problem+json']['code'] = 'not_found'
// @ts-expect-error All seven fields are required.
export const update: components['schemas']['FlowUpdate'] = { name: 'a' }
export const query: operations['projects.list']['parameters']['query'] = { limit: 10 }
export const warnings = (flow: components['schemas']['Flow']): string[] => flow.warnings.map(({ code }) => code)
`

describe('clients generated from the OpenAPI document', () => {
  it('compile with openapi-typescript and @hey-api/openapi-ts', { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flowpost-openapi-clients-'))
    const node = (...args: string[]) => run(process.execPath, args, { cwd: folder })
    try {
      await mkdir(join(folder, 'src'))
      await symlink(installed, join(folder, 'node_modules'))
      await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
      await writeFile(join(folder, 'openapi.json'), JSON.stringify(createOpenApiDocument({ version: '1.0.0' })))
      // Without `--default-non-nullable=false`, the generated types would require fields with a default even in requests.
      await node(join(installed, 'openapi-typescript/bin/cli.js'), 'openapi.json', '--default-non-nullable=false', '-o', 'src/schema.d.ts')
      await writeFile(join(folder, 'src/use.ts'), consumer)
      await node(join(installed, '@hey-api/openapi-ts/bin/run.js'), '-i', 'openapi.json', '-o', 'src/hey-api')
      const { code, stdout } = await node(join(installed, 'typescript/bin/tsc'), '-p', '.').then(
        (compiled) => ({ code: 0, ...compiled }),
        (error: { code: number | string; stdout: string }) => error,
      )
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
