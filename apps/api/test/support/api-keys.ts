import type { Scope } from '@flowpost/contract'
import { expect } from 'vitest'
import type { TestServer } from './test-server.ts'

/** A key as the interface makes it. */
export interface CreatedKey {
  readonly id: string
  readonly key: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly project_id: string | null
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly created_at: string
}

/** Makes a key as `alice`, or with another key. */
export const createKey = async (server: TestServer, body: object = {}, key = server.keys.alice): Promise<CreatedKey> => {
  const answer = await server.request('POST', '/v1/settings/api-keys', { json: { name: 'ci', ...body }, key })
  expect(answer.text).toContain('"key"')
  return answer.json
}

/** Makes a project as `alice`, or with another key, and gives its id. */
export const createProject = async (server: TestServer, name: string, key = server.keys.alice): Promise<string> => {
  const answer = await server.request('POST', '/v1/settings/projects', { json: { name }, key })
  expect(answer.status).toBe(201)
  return answer.json.id
}

/** The status of a request that any key with `settings:read` may make. */
export const statusWith = async (server: TestServer, key: string): Promise<number> =>
  (await server.request('GET', '/v1/settings/projects', { key })).status
