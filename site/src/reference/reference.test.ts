import { api as contract, problems } from '@flowpost/contract'
import { exampleOf } from '@flowpost/contract/reference'
import { canTransition, deliveryStatuses, isFinal, openStatuses } from '@flowpost/domain'
import { beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../apps/api/src/config/config.ts'
import type { Page } from '../page.ts'
import { readRepositoryFile } from '../repository.ts'
import { environmentSchemas, readTopics } from './environment.ts'
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

describe('the fields in the API reference', () => {
  const rowsOf = (page: string, field: string): string[] =>
    textOf(`/reference/api/${page}`)
      .split('\n')
      .filter((line) => line.startsWith(`| \`${field}\``))

  it('are marked as required at every depth of a request', () => {
    expect(rowsOf('settings-as-code', 'flows[].target')[0]).toContain('text="required"')
    expect(rowsOf('flows', 'data[].id')[0]).not.toContain('text="required"')
  })

  it('have their values, and the values of another field with which they are present', () => {
    expect(rowsOf('event-endpoints', 'events[]')[0]).toContain('Each is one of `"notification.settled"`, `"delivery.sent"`')
    expect(rowsOf('notifications', 'results[].problem')[0]).toContain('Only if `results[].status` is `404`, `409`')
  })
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

describe('the metrics reference', () => {
  it('states for every metric of Flowpost which processes export it', () => {
    const sections = textOf('/reference/metrics').split(/^### /m).slice(1)
    expect(sections.length).toBeGreaterThan(20)
    for (const section of sections) expect(section).toMatch(/^Type: \w+; .*exported by: `(?:api|worker)`/m)
    expect(textOf('/reference/metrics')).toContain('Type: gauge; labels: `state`; exported by: `api` and `worker`, with PostgreSQL.')
  })
})

describe('docs/concepts/states.md', () => {
  it('lists every status, and which of them are final', () => {
    const rows = [...readRepositoryFile('docs/concepts/states.md').matchAll(/^\| `(\w+)` \| .* \| (yes|no) \|$/gm)]
    expect(rows.map(([, status, final]) => [status, final])).toEqual(
      deliveryStatuses.map((status) => [status, isFinal(status) ? 'yes' : 'no']),
    )
  })

  it('shows every transition, except from a final status', () => {
    const arrows = [...readRepositoryFile('docs/concepts/states.md').matchAll(/^ {2}(\w+ --> \w+)$/gm)].map(([, arrow]) => arrow)
    const transitions = openStatuses.flatMap((from) =>
      deliveryStatuses.filter((to) => canTransition(from, to)).map((to) => `${from} --> ${to}`),
    )
    expect(arrows.toSorted()).toEqual(transitions.toSorted())
  })
})
