import type { Scope } from '@flowpost/contract'
import { expect } from 'vitest'
import type { TestServer } from './test-server.ts'

/** A new API key, as the API returns it. */
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

/** Creates an API key. The request is authenticated with `key`, by default the key of `alice`. */
export const createKey = async (server: TestServer, body: object = {}, key = server.keys.alice): Promise<CreatedKey> => {
  const response = await server.request('POST', '/v1/settings/api-keys', { json: { name: 'ci', ...body }, key })
  expect(response.text).toContain('"key"')
  return response.json
}

/** Creates a project and returns its id. The request is authenticated with `key`, by default the key of `alice`. */
export const createProject = async (server: TestServer, name: string, key = server.keys.alice): Promise<string> => {
  const response = await server.request('POST', '/v1/settings/projects', { json: { name }, key })
  expect(response.status).toBe(201)
  return response.json.id
}

/** Sends a request that needs the scope `settings:read`, and returns the HTTP status of the response. */
export const statusForKey = async (server: TestServer, key: string): Promise<number> =>
  (await server.request('GET', '/v1/settings/projects', { key })).status
