import { describe, expect, test } from 'vitest'
import { findContentIssues } from '../rendering/content.ts'
import { slackDescription } from './slack.ts'

describe('accepts the id of a conversation', () => {
  test.each(['C024BE91L', 'G012AB3CD', 'D0123456789', 'C0123456789'])('%s', (id) => {
    expect(slackDescription.parseTarget(id)).toEqual({ ok: true, target: id, key: id })
  })
})

describe('rejects', () => {
  test.each([
    ['#general', 'This is a channel name, and names can change.'],
    ['@alice', 'This is the name of a user.'],
    ['U024BE7LH', 'This is a user id. Use the id of the direct message, which starts with D.'],
    ['W012A3BCD', 'This is a user id. Use the id of the direct message, which starts with D.'],
    ['https://example.slack.com/archives/C024BE91L', 'This is a link. Its last part may be the id.'],
    ['c024be91l', 'Ids are upper case.'],
    ['general', 'This is not the id of a channel.'],
    ['C024', 'This is not the id of a channel.'],
    [' C024BE91L', 'This is not the id of a channel.'],
    ['C024BE91L\n', 'This is not the id of a channel.'],
    ['C024BE91L,C024BE91M', 'This is not the id of a channel.'],
    ['T024BE7LD', 'This is not the id of a channel.'],
    [`C${'0'.repeat(32)}`, 'This is not the id of a channel.'],
    ['', 'This is not the id of a channel.'],
  ])('%j with the reason', (address, reason) => {
    expect(slackDescription.parseTarget(address)).toEqual({
      ok: false,
      message: `${reason} Use the id of a Slack channel, such as C024BE91L. Open the channel's details to copy it.`,
    })
  })
})

test('escapes only the three control characters of Slack', () => {
  expect(slackDescription.escape?.(`<!channel> & "x" 'y' *b* &lt;`)).toBe(`&lt;!channel&gt; &amp; "x" 'y' *b* &amp;lt;`)
})

test('allows 40,000 characters', () => {
  expect(findContentIssues({ subject: '', text: '😀'.repeat(40_000) }, slackDescription.limits)).toEqual([])
  expect(findContentIssues({ subject: '', text: 'x'.repeat(40_001) }, slackDescription.limits)).toMatchObject([
    { measured: 40_001, allowed: 40_000 },
  ])
})
