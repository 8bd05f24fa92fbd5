import { describe, expect, it } from 'vitest'
import { FlowpostError, isFlowpostError } from './errors.ts'

const error = new FlowpostError('gone', { operation: 'flows.get', code: 'not_found', attempts: [] })

describe('isFlowpostError', () => {
  it('knows the failure of a call, and of which one', () => {
    expect(isFlowpostError(error)).toBe(true)
    expect(isFlowpostError(error, 'flows.get')).toBe(true)
    expect(isFlowpostError(error, 'flows.update')).toBe(false)
  })

  it('knows the failure of another copy of this package', () => {
    class Other extends Error {
      override name = 'FlowpostError'
      operation = 'flows.get'
    }
    expect(isFlowpostError(new Other(), 'flows.get')).toBe(true)
  })

  it.each([new Error('no'), 'no', null, undefined, { name: 'FlowpostError' }])('knows that %o is something else', (value) => {
    expect(isFlowpostError(value)).toBe(false)
  })
})

describe('FlowpostError', () => {
  it('has every field, also those that are not known', () => {
    expect(error).toMatchObject({ name: 'FlowpostError', message: 'flows.get: gone', errors: [], attempts: [] })
    expect(error.status).toBeUndefined()
    expect(error).toBeInstanceOf(Error)
  })

  it('has its message in JSON', () => {
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'FlowpostError',
      message: 'flows.get: gone',
      operation: 'flows.get',
      code: 'not_found',
      errors: [],
      attempts: [],
    })
  })

  it('keeps what was thrown underneath', () => {
    const cause = new Error('socket')
    expect(new FlowpostError('x', { operation: 'flows.get', code: 'connection_failed', attempts: [], cause }).cause).toBe(cause)
  })
})
