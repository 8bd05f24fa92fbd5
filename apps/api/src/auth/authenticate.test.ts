import type { Request, Response } from 'express'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createContext, setContext } from '../http/request-context.ts'
import { authenticate } from './authenticate.ts'
import type { Principal } from './principal.ts'

const principal = (): Principal => ({ userId: 'alice', scopes: [], credentialId: 'key', countedAs: 'key' })

it('a credential that was good is remembered as often as it is looked up, not with every request', async () => {
  let kept: Principal | undefined = principal()
  const told: string[] = []
  const handle = authenticate({
    verifyToken: async () => kept,
    failures: {
      admit: async () => {},
      failed: async () => void told.push('failed'),
      succeeded: () => told.push('succeeded'),
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
  expect(told).toEqual(['succeeded'])
  kept = undefined
  await expect(call()).rejects.toMatchObject({ code: 'unauthenticated' })
  // Failing has made it be forgotten.
  kept = principal()
  await call()
  expect(told).toEqual(['succeeded', 'failed', 'succeeded'])
})
