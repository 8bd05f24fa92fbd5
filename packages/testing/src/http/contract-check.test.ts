import { describe, expect, it } from 'vitest'
import { checkResponse, MockContractError } from './contract-check.ts'
import { operations } from './operations.ts'

const named = (operation: string) => {
  const found = operations.find((route) => route.operation === operation)
  if (!found) throw new Error(`Unknown operation: ${operation}.`)
  return found
}

const project = {
  id: 'prj_01jdv3k2m8f6wbn0q4z5t7x9ya',
  name: 'billing',
  key: null,
  created_at: '2026-11-21T10:00:00.000Z',
  updated_at: '2026-11-21T10:00:00.000Z',
}
const problem = { type: 'urn:a', title: 'a', status: 409, detail: 'a', code: 'project_name_taken', request_id: 'r' }

describe('a response from the mock', () => {
  it.each([
    ['projects.get', 200, project],
    ['projects.get', 304, undefined],
    ['projects.delete', 204, undefined],
    ['projects.create', 409, problem],
  ])('is valid when %s declares status %i', (operation, status, body) => {
    expect(() => checkResponse(named(operation), status, body)).not.toThrow()
  })

  it.each([
    ['projects.get', 201, project, 'The operation does not declare this status'],
    ['projects.get', 200, { ...project, id: 'prj_1' }, 'id'],
    ['projects.get', 200, { ...project, name: undefined }, 'name'],
    ['projects.get', 200, { ...project, colour: 'red' }, 'The body has a value at /colour that its schema does not declare.'],
    ['projects.get', 200, { ...project, created_at: '2026-11-21T10:00:00Z' }, 'created_at'],
    ['projects.delete', 204, {}, 'A response with this status must not have a body'],
    ['projects.create', 409, { ...problem, code: 'no_active_flows' }, 'The operation does not declare the code no_active_flows'],
  ])('throws when it violates the contract for %s %i', (operation, status, body, reason) => {
    expect(() => checkResponse(named(operation), status, body)).toThrow(MockContractError)
    expect(() => checkResponse(named(operation), status, body)).toThrow(reason)
  })
})
