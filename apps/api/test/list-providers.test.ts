import { expect, it } from 'vitest'
import { startTestServer } from './support/test-server.ts'

const sourceTypes = ['mailgun', 'smtp', 'slack', 'discord', 'teams', 'webhook']

it('lists the providers in a fixed order, with JSON schemas for their settings and secrets', async () => {
  await using server = await startTestServer()
  const { status, json } = await server.request('GET', '/v1/settings/providers')

  expect(status).toBe(200)
  expect(json.data.map((provider: { source_type: string }) => provider.source_type)).toEqual(sourceTypes)
  const smtp = json.data.find((provider: { source_type: string }) => provider.source_type === 'smtp')
  expect(smtp.kind).toBe('email')
  expect(smtp.settings_schema).toMatchObject({ type: 'object', additionalProperties: false, required: ['host', 'from'] })
  expect(smtp.settings_schema.properties.security).toMatchObject({ enum: ['starttls', 'tls', 'none'], default: 'starttls' })
  expect(Object.keys(smtp.secrets_schema.properties)).toEqual(['password'])
})

it('returns the providers in pages', async () => {
  await using server = await startTestServer()
  const listed: string[] = []
  let cursor: string | null = null
  do {
    const { json }: { json: { data: { source_type: string }[]; next_cursor: string | null } } = await server.request(
      'GET',
      `/v1/settings/providers?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`,
    )
    listed.push(...json.data.map((provider) => provider.source_type))
    cursor = json.next_cursor
  } while (cursor !== null)
  expect(listed).toEqual(sourceTypes)
})

it('rejects a cursor from another list', async () => {
  await using server = await startTestServer()
  for (let number = 0; number < 2; number += 1)
    await server.request('POST', '/v1/settings/projects', { json: { name: `project ${number}` } })
  const projects = await server.request('GET', '/v1/settings/projects?limit=1')
  const response = await server.request('GET', `/v1/settings/providers?cursor=${projects.json.next_cursor}`)
  expect([response.status, response.json.code]).toEqual([400, 'invalid_cursor'])
})
