import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillPath, queryString } from './path.ts'

const base = 'https://flowpost.example.com'
const template = '/v1/settings/projects/:project_id/flows/:flow_id'

describe('fillPath', () => {
  it('puts identifiers where they belong', () => {
    expect(fillPath(template, ['prj_1', 'flw_2'])).toBe('/v1/settings/projects/prj_1/flows/flw_2')
  })

  it('encodes what has a meaning in a URL', () => {
    expect(fillPath('/v1/:id', ['a:b;c=d&ü'])).toBe('/v1/a%3Ab%3Bc%3Dd%26%C3%BC')
  })

  it('reaches exactly the named resource or refuses, whatever the identifier is', () => {
    const odd = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', 'f', '?', '#', ' ', '\t', ':', '\ud800') }),
    )
    fc.assert(
      fc.property(odd, odd, (project, flow) => {
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
        // Proxies that decode once more must come out at the same place.
        expect(new URL(base + segments.join('/')).pathname.split('/')).toHaveLength(7)
      }),
      { numRuns: 2_000 },
    )
  })

  it('accepts every identifier that Flowpost makes', () => {
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

  it('survives the way to the server and back', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (params) => {
        expect(Object.fromEntries(new URLSearchParams(queryString(params)))).toEqual({ ...params })
      }),
    )
  })

  it('keeps 0 and false', () => {
    expect(queryString({ limit: 0, captured: false })).toBe('?limit=0&captured=false')
  })
})
