import { httpConformanceCase, providerConformance } from '@flowpost/delivery/conformance'
import { expect, it } from 'vitest'
import { createNtfy, ntfy } from './ntfy.ts'

const ntfyCase = () =>
  httpConformanceCase(
    (url) => ({
      provider: createNtfy(url),
      credential: { settings: {}, secrets: { token: 'tk_0123456789abcdef' }, trusted: true },
      targets: ['alerts', 'builds'],
      badTargets: ['no blanks', 'https://ntfy.sh/alerts'],
    }),
    {
      isMessage: ({ method }) => method === 'POST',
      read: (request) => {
        const { topic, message } = JSON.parse(request.body) as { topic: string; message: string }
        return { target: topic, text: message }
      },
      answers: {
        accept: () => ({ status: 200, body: { id: 'x1' } }),
        refuse: ({ headers }) => ({ status: 400, body: { error: headers.authorization } }),
        'refuse-credential': ({ headers }) => ({ status: 401, body: { error: headers.authorization } }),
        throttle: () => ({ status: 429, headers: { 'retry-after': '7' } }),
        fail: () => ({ status: 500 }),
      },
    },
  )

for (const check of providerConformance(ntfyCase)) it(check.name, check.run)

it('is what a server registers', () => {
  expect([ntfy.id, ntfy.kind]).toEqual(['ntfy', 'chat'])
})
