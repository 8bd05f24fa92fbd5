import { globSync, readFileSync } from 'node:fs'
import { api as contract, problems } from '@flowpost/contract'
import { exampleOf } from '@flowpost/contract/reference'
import { canTransition, deliveryStatuses, isFinal } from '@flowpost/domain'
import { beforeAll, describe, expect, it } from 'vitest'
import { environmentVariables } from '../../../apps/api/src/config/config.ts'
import type { Page } from '../page.ts'
import { readRepositoryFile, repositoryRoot } from '../repository.ts'
import { failureCodes } from './failure-codes.ts'
import { api } from './openapi.ts'
import { createReference } from './reference.ts'
import { typeScriptSample } from './samples.ts'

let pages: ReadonlyMap<string, Page>
beforeAll(async () => {
  pages = new Map((await createReference()).map((page) => [page.url, page]))
  // Loads much of the server and all commands, which takes seconds on a busy machine.
}, 120_000)
const textOf = (url: string): string => pages.get(url)?.markdown ?? ''

interface BodySchema {
  safeParse(body: unknown): { readonly error?: { readonly issues: readonly unknown[] } }
}

const bodySchemaOf = (operationId: string): BodySchema | undefined => {
  const [group = '', name = ''] = operationId.split('.')
  return (contract as unknown as Record<string, Record<string, { body?: BodySchema }>>)[group]?.[name]?.body
}

describe('the API reference', () => {
  it('has a TypeScript example for every operation of the SDK', () => {
    const missing = api.operations.filter((operation) => typeScriptSample(operation) === undefined).map(({ operationId }) => operationId)
    // The SDK has one method to delete a project.
    expect(missing).toEqual(['projects.deleteByQuery'])
  })

  it.each(api.operations.filter(({ requestBody }) => requestBody).map((operation) => [operation.operationId, operation] as const))(
    'shows a valid body for %s',
    (operationId, { requestBody }) => {
      const example = requestBody && exampleOf(api, requestBody.content['application/json'].schema)
      const result = bodySchemaOf(operationId)?.safeParse(example)
      expect(result).toBeDefined()
      expect(result?.error?.issues).toBeUndefined()
    },
  )
})

describe('the reference of problems', () => {
  it('has a page with the type for every code', () => {
    for (const code of Object.keys(problems)) expect(textOf(`/problems/${code}`)).toContain(`\`urn:flowpost:problem:${code}\``)
  })
})

describe('the reference of the configuration', () => {
  it('contains every variable', () => {
    expect(environmentVariables.filter((name) => !textOf('/reference/configuration').includes(`\`${name}\``))).toEqual([])
  })
})

describe('the reference of failures', () => {
  it('contains every code in the source code', () => {
    const files = globSync(
      ['packages/delivery/src/**/*.ts', 'packages/domain/src/delivery/failure.ts', 'apps/api/src/features/delivery/**/*.ts'],
      {
        cwd: repositoryRoot,
      },
    ).filter((file) => !file.endsWith('.test.ts'))
    const used = files.flatMap((file) =>
      [...readFileSync(`${repositoryRoot}${file}`, 'utf8').matchAll(/kind: [^{}]*?code: '([a-z0-9_]+)'/g)].map(([, code = '']) => code),
    )
    const documented = failureCodes.flatMap(({ codes }) => codes.map(([code]) => code))
    expect(used.length).toBeGreaterThan(15)
    expect([...new Set(used)].filter((code) => !documented.includes(code))).toEqual([])
  })
})

describe('docs/concepts/states.md', () => {
  it('lists every status, and which of them are final', () => {
    const rows = [...readRepositoryFile('docs/concepts/states.md').matchAll(/^\| `(\w+)` \| .* \| (yes|no) \|$/gm)]
    expect(rows.map(([, status, final]) => [status, final])).toEqual(
      deliveryStatuses.map((status) => [status, isFinal(status) ? 'yes' : 'no']),
    )
  })

  it('shows only transitions that exist', () => {
    const arrows = [...readRepositoryFile('docs/concepts/states.md').matchAll(/^ {2}(\w+) --> (\w+)$/gm)]
    expect(arrows.length).toBeGreaterThan(7)
    for (const [arrow, from = '', to = ''] of arrows) expect(canTransition(from as 'queued', to as 'queued'), arrow).toBe(true)
  })
})
