import { describe, expect, test } from 'vitest'
import { contentFaults, maxContentBytes } from './content-limits.ts'

describe('characters of the text', () => {
  const limits = { textCharacters: 4 }

  test('are code points', () => {
    expect(contentFaults({ subject: 'a long subject', text: '😀😀😀😀' }, limits)).toEqual([])
  })

  test('over the limit are a fault with both numbers', () => {
    expect(contentFaults({ subject: '', text: '12345' }, limits)).toEqual([
      { limit: 'textCharacters', measured: 5, allowed: 4, message: 'The rendered message has 5 characters; at most 4 are allowed.' },
    ])
  })
})

describe('bytes of all parts', () => {
  test('are those of UTF-8, and of subject, text and HTML together', () => {
    const content = { subject: 'é', text: '€', html: '😀' }
    expect(contentFaults(content, { totalBytes: 9 })).toEqual([])
    expect(contentFaults(content, { totalBytes: 8 })).toMatchObject([{ limit: 'totalBytes', measured: 9, allowed: 8 }])
  })

  test('have an upper limit on every channel', () => {
    const content = { subject: '', text: 'x'.repeat(maxContentBytes) }
    expect(contentFaults(content, {})).toEqual([])
    expect(contentFaults({ ...content, subject: 'y' }, { totalBytes: 2 * maxContentBytes })).toEqual([
      {
        limit: 'totalBytes',
        measured: 20_000_001,
        allowed: 20_000_000,
        message: 'The rendered message has 20,000,001 bytes; at most 20,000,000 are allowed.',
      },
    ])
  })
})

test('names every limit that is broken', () => {
  const faults = contentFaults({ subject: '', text: '12345' }, { textCharacters: 1, totalBytes: 2 })
  expect(faults.map((fault) => fault.limit)).toEqual(['textCharacters', 'totalBytes'])
})

test('allows an empty content under limits of 0', () => {
  expect(contentFaults({ subject: '', text: '' }, { textCharacters: 0, totalBytes: 0 })).toEqual([])
})
