import { describe, expect, test } from 'vitest'
import { findContentIssues } from '../rendering/content.ts'
import { slackDescription } from './slack.ts'

describe('accepts a conversation id', () => {
  test.each(['C024BE91L', 'G012AB3CD', 'D0123456789', 'C0123456789'])('%s', (id) => {
    expect(slackDescription.parseTarget(id)).toEqual({ ok: true, target: id, key: id })
  })
})

describe('rejects', () => {
  test.each([
    ['#general', 'This is a channel name, and names can change.'],
    ['@alice', 'This is a user name.'],
    ['U024BE7LH', 'This is a user id. The conversation with that user has a different id, which starts with D.'],
    ['W012A3BCD', 'This is a user id. The conversation with that user has a different id, which starts with D.'],
    ['https://example.slack.com/archives/C024BE91L', 'This is a link. Its last part may be the id.'],
    ['c024be91l', 'Ids are upper case.'],
    ['general', 'This is not a channel id.'],
    ['C024', 'This is not a channel id.'],
    [' C024BE91L', 'This is not a channel id.'],
    ['C024BE91L\n', 'This is not a channel id.'],
    ['C024BE91L,C024BE91M', 'This is not a channel id.'],
    ['T024BE7LD', 'This is not a channel id.'],
    [`C${'0'.repeat(32)}`, 'This is not a channel id.'],
    ['', 'This is not a channel id.'],
  ])('%j with the reason', (address, reason) => {
    expect(slackDescription.parseTarget(address)).toEqual({
      ok: false,
      message: `${reason} Use the id of a Slack channel, such as C024BE91L. Open the channel's details to copy it.`,
    })
  })
})

test("escapes only Slack's three control characters", () => {
  expect(slackDescription.escape?.(`<!channel> & "x" 'y' *b* &lt;`)).toBe(`&lt;!channel&gt; &amp; "x" 'y' *b* &amp;lt;`)
})

test('allows 40,000 characters', () => {
  expect(findContentIssues({ subject: '', text: '😀'.repeat(40_000) }, slackDescription.limits)).toEqual([])
  expect(findContentIssues({ subject: '', text: 'x'.repeat(40_001) }, slackDescription.limits)).toMatchObject([
    { measured: 40_001, allowed: 40_000 },
  ])
})
