import { describe, expect, it } from 'vitest'
import { project } from '../support/resources.ts'
import { failureOf, start } from '../support/setup.ts'

describe('an identifier that would address another resource', () => {
  it.each(['', '.', '..', 'a/b', 'a\\b', 'a?b', 'a#b', '%2e%2e', 'a b', 'a\nb', '\ud800', undefined, null, 7])(
    'is rejected before any request: %j',
    async (id) => {
      await using at = await start()
      const error = await failureOf(at.flowpost.projects.delete(id as string))
      expect(error).toMatchObject({ code: 'invalid_argument', operation: 'projects.delete', attempts: [] })
      expect(at.server.requests).toHaveLength(0)
    },
  )
})

describe('fetch', () => {
  it('is read for each call, so that a later replacement takes effect', async () => {
    await using at = await start({ fetch: undefined })
    const original = globalThis.fetch
    try {
      globalThis.fetch = async () => Response.json({ ...project, name: 'intercepted' })
      expect((await at.flowpost.projects.get(project.id)).name).toBe('intercepted')
    } finally {
      globalThis.fetch = original
    }
    expect(at.server.requests).toHaveLength(0)
  })
})
