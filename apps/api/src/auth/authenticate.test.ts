import type { Request, Response } from 'express'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createContext, setContext } from '../http/request-context.ts'
import { authenticate } from './authenticate.ts'
import type { Principal } from './principal.ts'

const principal = (): Principal => ({ userId: 'alice', scopes: [], mode: 'live', credentialId: 'key', rateLimitKey: 'key' })

it('reports a valid credential once per cached principal, not per request', async () => {
  let cached: Principal | undefined = principal()
  const reported: string[] = []
  const handle = authenticate({
    verifyToken: async () => cached,
    failures: {
      admit: async () => {},
      failed: async () => void reported.push('failed'),
      succeeded: () => reported.push('succeeded'),
    },
  })
  const request = { get: () => 'Bearer fp_x', ip: '127.0.0.1' } as unknown as Request
  const call = async () => {
    const response = { locals: {} } as Response
    setContext(response, createContext('id', pino({ enabled: false })))
    await handle(request, response, () => {})
  }

  await call()
  await call()
  expect(reported).toEqual(['succeeded'])
  cached = undefined
  await expect(call()).rejects.toMatchObject({ code: 'unauthenticated' })
  // After a failure, the next success of the same credential must be reported again.
  cached = principal()
  await call()
  expect(reported).toEqual(['succeeded', 'failed', 'succeeded'])
})
