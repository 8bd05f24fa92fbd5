import type { Scope } from '@flowpost/contract'
import { expect } from 'vitest'
import type { TestServer } from './test-server.ts'

/** An API key, as in the response to its creation. */
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

/** Creates an API key with the key of `alice` or with `key`. */
export const createKey = async (server: TestServer, body: object = {}, key = server.keys.alice): Promise<CreatedKey> => {
  const response = await server.request('POST', '/v1/settings/api-keys', { json: { name: 'ci', ...body }, key })
  expect(response.text).toContain('"key"')
  return response.json
}

/** Creates a project with the key of `alice` or with `key`, and returns its id. */
export const createProject = async (server: TestServer, name: string, key = server.keys.alice): Promise<string> => {
  const response = await server.request('POST', '/v1/settings/projects', { json: { name }, key })
  expect(response.status).toBe(201)
  return response.json.id
}

/** Returns the status of a request that needs the scope `settings:read`. */
export const statusForKey = async (server: TestServer, key: string): Promise<number> =>
  (await server.request('GET', '/v1/settings/projects', { key })).status
