import { createConformanceChecks, createHttpConformanceCase } from '@flowpost/delivery/conformance'
import { expect, it } from 'vitest'
import { createNtfy, ntfy } from './ntfy.ts'

const createCase = () =>
  createHttpConformanceCase(
    (url) => ({
      provider: createNtfy(url),
      credential: { settings: {}, secrets: { token: 'tk_0123456789abcdef' }, trusted: true },
      targets: ['alerts', 'builds'],
      invalidTargets: ['no blanks', 'https://ntfy.sh/alerts'],
    }),
    {
      isMessage: ({ method }) => method === 'POST',
      parseMessage: (request) => {
        const { topic, message } = JSON.parse(request.body) as { topic: string; message: string }
        return { target: topic, text: message }
      },
      responses: {
        accept: () => ({ status: 200, body: { id: 'x1' } }),
        reject: ({ headers }) => ({ status: 400, body: { error: headers.authorization } }),
        'reject-credential': ({ headers }) => ({ status: 401, body: { error: headers.authorization } }),
        throttle: () => ({ status: 429, headers: { 'retry-after': '7' } }),
        fail: () => ({ status: 500 }),
      },
    },
  )

for (const check of createConformanceChecks(createCase)) it(check.name, check.run)

it('exports a provider for registration', () => {
  expect([ntfy.id, ntfy.kind]).toEqual(['ntfy', 'chat'])
})
