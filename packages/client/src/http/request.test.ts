import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillPath, queryString } from './request.ts'

const base = 'https://flowpost.example.com'
const template = '/v1/settings/projects/:project_id/flows/:flow_id'

describe('fillPath', () => {
  it('inserts identifiers', () => {
    expect(fillPath(template, ['prj_1', 'flw_2'])).toBe('/v1/settings/projects/prj_1/flows/flw_2')
  })

  it.each(['a:b', 'a;b', 'c=d', 'a&b', 'ü', 'a@b'])('rejects %s, which no Flowpost identifier contains', (id) => {
    expect(() => fillPath('/v1/:id', [id])).toThrow(`id is not a valid identifier: "${id}"`)
  })

  it('addresses exactly the given resource or throws, for any identifier', () => {
    const arbitraryId = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', 'f', '?', '#', ' ', '\t', ':', '\ud800') }),
    )
    fc.assert(
      fc.property(arbitraryId, arbitraryId, (project, flow) => {
        let path: string
        try {
          path = fillPath(template, [project, flow])
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError)
          return
        }
        const url = new URL(base + path)
        const segments = url.pathname.split('/').map(decodeURIComponent)
        expect(segments).toEqual(['', 'v1', 'settings', 'projects', project, 'flows', flow])
        expect(url.search + url.hash).toBe('')
        // A proxy that decodes the path again must reach the same resource.
        expect(new URL(base + segments.join('/')).pathname.split('/')).toHaveLength(7)
      }),
      { numRuns: 2_000 },
    )
  })

  it('accepts every identifier that Flowpost generates', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^(prj|flw|ntf|dlv|att|key)_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
        (id) => fillPath('/:id', [id]) === `/${id}`,
      ),
    )
  })
})

describe('queryString', () => {
  it('is empty without parameters', () => {
    expect(queryString(undefined)).toBe('')
    expect(queryString({ cursor: undefined })).toBe('')
  })

  it('round-trips parameters', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (params) => {
        expect(Object.fromEntries(new URLSearchParams(queryString(params)))).toEqual({ ...params })
      }),
    )
  })

  it('includes 0 and false', () => {
    expect(queryString({ limit: 0, captured: false })).toBe('?limit=0&captured=false')
  })
})
