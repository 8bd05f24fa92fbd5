import { describe, expect, test } from 'vitest'
import { findContentIssues, maxContentBytes } from './content.ts'

describe('the number of characters in the text', () => {
  const limits = { textCharacters: 4 }

  test('counts code points', () => {
    expect(findContentIssues({ subject: 'a long subject', text: '😀😀😀😀' }, limits)).toEqual([])
  })

  test('is an issue if it exceeds the limit, with both numbers', () => {
    expect(findContentIssues({ subject: '', text: '12345' }, limits)).toEqual([
      { limit: 'textCharacters', measured: 5, allowed: 4, message: 'The rendered message has 5 characters; at most 4 are allowed.' },
    ])
  })
})

describe('the number of bytes', () => {
  test('counts subject, text and HTML in UTF-8', () => {
    const content = { subject: 'é', text: '€', html: '😀' }
    expect(findContentIssues(content, { totalBytes: 9 })).toEqual([])
    expect(findContentIssues(content, { totalBytes: 8 })).toMatchObject([{ limit: 'totalBytes', measured: 9, allowed: 8 }])
  })

  test('has a maximum on every channel', () => {
    const content = { subject: '', text: 'x'.repeat(maxContentBytes) }
    expect(findContentIssues(content, {})).toEqual([])
    expect(findContentIssues({ ...content, subject: 'y' }, { totalBytes: 2 * maxContentBytes })).toEqual([
      {
        limit: 'totalBytes',
        measured: 20_000_001,
        allowed: 20_000_000,
        message: 'The rendered message has 20,000,001 bytes; at most 20,000,000 are allowed.',
      },
    ])
  })
})

describe("the number of bytes in a provider's format", () => {
  const limits = { totalBytes: 10, countBytes: ({ text }: { readonly text: string }) => JSON.stringify(text).length }

  test('is an issue if it exceeds the limit', () => {
    expect(findContentIssues({ subject: '', text: '\n\n\n\n' }, limits)).toEqual([])
    expect(findContentIssues({ subject: '', text: '\n\n\n\n\n' }, limits)).toEqual([
      {
        limit: 'totalBytes',
        measured: 12,
        allowed: 10,
        message: "The rendered message has 12 bytes in the provider's format; at most 10 are allowed.",
      },
    ])
  })

  test('is not counted for content that is already too long', () => {
    const issues = findContentIssues({ subject: '123456', text: '\n\n\n\n\n' }, limits)
    expect(issues.map(({ message }) => message)).toEqual(['The rendered message has 11 bytes; at most 10 are allowed.'])
  })
})

test('returns every exceeded limit', () => {
  const issues = findContentIssues({ subject: '', text: '12345' }, { textCharacters: 1, totalBytes: 2 })
  expect(issues.map(({ limit }) => limit)).toEqual(['textCharacters', 'totalBytes'])
})

test('allows empty content with limits of 0', () => {
  expect(findContentIssues({ subject: '', text: '' }, { textCharacters: 0, totalBytes: 0 })).toEqual([])
})
