import { describe, expect, it } from 'vitest'
import { FlowpostError, isFlowpostError } from './errors.ts'

const error = new FlowpostError('gone', { operation: 'flows.get', code: 'not_found', attempts: [] })

describe('isFlowpostError', () => {
  it('detects an error of any operation, or only of the given one', () => {
    expect(isFlowpostError(error)).toBe(true)
    expect(isFlowpostError(error, 'flows.get')).toBe(true)
    expect(isFlowpostError(error, 'flows.update')).toBe(false)
  })

  it('detects an error from another copy of this package', () => {
    class Other extends Error {
      override name = 'FlowpostError'
      operation = 'flows.get'
    }
    expect(isFlowpostError(new Other(), 'flows.get')).toBe(true)
  })

  it.each([new Error('no'), 'no', null, undefined, { name: 'FlowpostError' }])('rejects %o', (value) => {
    expect(isFlowpostError(value)).toBe(false)
  })
})

describe('FlowpostError', () => {
  it('has defaults for missing fields', () => {
    expect(error).toMatchObject({ name: 'FlowpostError', message: 'flows.get: gone', errors: [], attempts: [] })
    expect(error.status).toBeUndefined()
    expect(error).toBeInstanceOf(Error)
  })

  it('includes its message in JSON', () => {
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'FlowpostError',
      message: 'flows.get: gone',
      operation: 'flows.get',
      code: 'not_found',
      errors: [],
      attempts: [],
    })
  })

  it('has the underlying error as its cause', () => {
    const cause = new Error('socket')
    expect(new FlowpostError('x', { operation: 'flows.get', code: 'connection_failed', attempts: [], cause }).cause).toBe(cause)
  })
})
