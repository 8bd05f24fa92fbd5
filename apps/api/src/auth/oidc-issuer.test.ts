import { exportJWK, generateKeyPair } from 'jose'
import { expect, it } from 'vitest'
import { createIssuer } from './oidc-issuer.ts'

const issuer = 'https://issuer.example.com'
const hourMs = 3_600_000

/** Creates an issuer. The test sets its clock, and can make its discovery fail. */
const setUp = async () => {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true })
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }]
  const state = { nowMs: 0, isDiscoveryDown: false, discoveries: 0 }
  const respond = async (url: string | URL | Request) => {
    if (String(url).endsWith('/keys')) return Response.json({ keys })
    state.discoveries += 1
    return state.isDiscoveryDown ? new Response(null, { status: 503 }) : Response.json({ issuer, jwks_uri: `${issuer}/keys` })
  }
  const { getKey } = createIssuer({ issuer, clock: { now: () => new Date(state.nowMs) }, fetch: respond })
  return { state, getKey: () => getKey({ alg: 'ES256', kid: 'one' }, { payload: '', signature: '' }) }
}

it('tries to refresh an expired discovery document at most every five seconds, and uses the old document while refreshing fails', async () => {
  const { state, getKey } = await setUp()
  await getKey()
  expect(state.discoveries).toBe(1)
  state.isDiscoveryDown = true
  state.nowMs = hourMs
  for (let count = 0; count < 3; count += 1) await getKey()
  expect(state.discoveries).toBe(2)
  state.nowMs += 5_000
  await getKey()
  expect(state.discoveries).toBe(3)
  state.isDiscoveryDown = false
  state.nowMs += 5_000
  for (let count = 0; count < 3; count += 1) await getKey()
  expect(state.discoveries).toBe(4)
})
