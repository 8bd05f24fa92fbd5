import { readFile } from 'node:fs/promises'
// biome-ignore lint/style/noRestrictedImports: written as in a package of its own.
import { builtInProviders, createRegistry } from '@flowpost/delivery'
// biome-ignore lint/style/noRestrictedImports: written as in a package of its own.
import { providerConformance } from '@flowpost/delivery/conformance'
import { expect, it } from 'vitest'
import { httpCase } from '../test/conformance-cases.ts'
import { createNtfy } from './ntfy.ts'

const ntfyCase = () =>
  httpCase(
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
        throttle: () => ({ status: 429 }),
        fail: () => ({ status: 500 }),
      },
    },
  )

it.each(providerConformance(ntfyCase).map((check) => [check.name, check] as const))('the example: %s', (_, check) => check.run())

it('is registered with one line', () => {
  expect(createRegistry([...builtInProviders, createNtfy()]).get('ntfy')?.kind).toBe('chat')
})

it('is shown in the README as it is', async () => {
  const [readme, example] = await Promise.all(['../README.md', './ntfy.ts'].map((path) => readFile(new URL(path, import.meta.url), 'utf8')))
  expect(readme).toContain(example?.replace(/^\/\/ biome-ignore .*\n/gm, '').trim())
})
