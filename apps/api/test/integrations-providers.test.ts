import { expect, it } from 'vitest'
import { startTestServer } from './support/test-server.ts'

const served = ['mailgun', 'smtp', 'slack', 'discord', 'teams', 'webhook']

it('the providers that are served are listed in order, with schemas of what a client may give', async () => {
  await using server = await startTestServer()
  const { status, json } = await server.request('GET', '/v1/settings/providers')

  expect(status).toBe(200)
  expect(json.data.map((each: { source_type: string }) => each.source_type)).toEqual(served)
  const smtp = json.data.find((each: { source_type: string }) => each.source_type === 'smtp')
  expect(smtp.kind).toBe('email')
  expect(smtp.settings_schema).toMatchObject({ type: 'object', additionalProperties: false, required: ['host', 'from'] })
  expect(smtp.settings_schema.properties.security).toMatchObject({ enum: ['starttls', 'tls', 'none'], default: 'starttls' })
  expect(Object.keys(smtp.secrets_schema.properties)).toEqual(['password'])
})

it('the list of providers is read in pages, and a cursor of another list is refused', async () => {
  await using server = await startTestServer()
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const { json }: { json: { data: { source_type: string }[]; next_cursor: string | null } } = await server.request(
      'GET',
      `/v1/settings/providers?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`,
    )
    seen.push(...json.data.map((each) => each.source_type))
    cursor = json.next_cursor
  } while (cursor !== null)
  expect(seen).toEqual(served)

  for (let number = 0; number < 2; number += 1)
    await server.request('POST', '/v1/settings/projects', { json: { name: `project ${number}` } })
  const projects = await server.request('GET', '/v1/settings/projects?limit=1')
  const foreign = await server.request('GET', `/v1/settings/providers?cursor=${projects.json.next_cursor}`)
  expect([foreign.status, foreign.json.code]).toEqual([400, 'invalid_cursor'])
})
