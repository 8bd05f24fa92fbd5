import { expect, it } from 'vitest'
import { describeDiscord } from './named-urls.ts'

const { secrets } = describeDiscord()
const url = 'https://discord.com/api/webhooks/1/token'
const entries = (count: number, value: unknown) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`name-${index}`, value]))
const issuesOf = (urls: unknown) => secrets.safeParse({ urls }).error?.issues ?? []

it('accepts 100 URLs', () => {
  expect(secrets.parse({ urls: entries(100, url) })).toEqual({ urls: entries(100, url) })
})

it('returns one issue for more than 100 URLs, even if all are invalid', () => {
  for (const value of [url, 'no URL', 0])
    for (const count of [101, 10_000])
      expect(issuesOf(entries(count, value))).toMatchObject([{ code: 'custom', path: ['urls'], message: 'At most 100 URLs are allowed.' }])
})

it('returns an issue for each of up to 100 invalid URLs', () => {
  expect(issuesOf(entries(100, 'no URL'))).toHaveLength(100)
  for (const urls of [undefined, null, [], 'text']) expect(issuesOf(urls)).toMatchObject([{ code: 'invalid_type', path: ['urls'] }])
})
