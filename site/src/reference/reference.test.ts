import { api as contract, problems } from '@flowpost/contract'
import { exampleOf } from '@flowpost/contract/reference'
import { canTransition, deliveryStatuses, isFinal } from '@flowpost/domain'
import { beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../apps/api/src/config/config.ts'
import type { Page } from '../page.ts'
import { readRepositoryFile } from '../repository.ts'
import { environmentSchemas, readTopics } from './environment.ts'
import { failureCodes } from './failure-codes.ts'
import { readFailureCodes } from './failure-sources.ts'
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
    // The SDK has no method for this operation: `projects.delete` does the same.
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

describe('the problem reference', () => {
  it('has a page for every code, with the type of the problem', () => {
    for (const code of Object.keys(problems)) expect(textOf(`/problems/${code}`)).toContain(`\`urn:flowpost:problem:${code}\``)
  })
})

describe('the configuration reference', () => {
  const schemas = environmentSchemas()
  const variables = readTopics().flatMap((topic) => topic.variables)

  it('contains every variable once, with an example', () => {
    expect(variables.map(({ name }) => name).sort()).toEqual([...schemas.keys()].sort())
    for (const name of schemas.keys()) expect(textOf('/reference/configuration')).toMatch(new RegExp(`\\| \`${name}=.+\` \\|`))
  })

  it.each(variables)('shows the values of $name as its schema describes them', ({ name, values }) => {
    expect(values).toBe(schemas.get(name)?.values)
  })

  it.each(variables.filter(({ name }) => schemas.get(name)?.hasDefault))('shows the default of $name', ({ name, fallback }) => {
    const [, value] = /^`([^`]+)`$/.exec(fallback) ?? []
    expect(value).toBeDefined()
    expect(readConfig({ [name]: value })).toEqual(readConfig({}))
  })
})

describe('the failure code reference', () => {
  const sources = readFailureCodes()
  const documented = failureCodes.flatMap(({ codes }) => codes.map(([code]) => code))

  it.each(['providers/smtp/errors.ts', 'providers/discord.ts', 'providers/teams.ts', 'providers/slack.ts', 'network/egress.ts'])(
    'reads codes from %s',
    (file) => {
      expect(sources.get(`packages/delivery/src/${file}`)?.length).toBeGreaterThan(0)
    },
  )

  it.each([...sources])('contains every code in %s', (_, codes) => {
    expect(codes.filter((code) => !documented.includes(code))).toEqual([])
  })

  it('contains each code once', () => {
    expect(documented).toEqual([...new Set(documented)])
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
