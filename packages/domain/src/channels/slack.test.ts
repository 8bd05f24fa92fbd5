import { describe, expect, test } from 'vitest'
import { contentFaults } from '../content-limits.ts'
import { slackChannel } from './slack.ts'

describe('takes the id of a conversation', () => {
  test.each(['C024BE91L', 'G012AB3CD', 'D0123456789', 'C0123456789'])('%s', (id) => {
    expect(slackChannel.parseTarget(id)).toEqual({ ok: true, target: id, key: id })
  })
})

describe('refuses', () => {
  test.each([
    ['#general', 'This is the name of a channel, which may change.'],
    ['@alice', 'This is the name of a user.'],
    ['U024BE7LH', 'This is the id of a user; give that of the direct message, which starts with D.'],
    ['W012A3BCD', 'This is the id of a user; give that of the direct message, which starts with D.'],
    ['https://example.slack.com/archives/C024BE91L', 'This is a link; its last part may be the id.'],
    ['c024be91l', 'Ids are written in capitals.'],
    ['general', 'This is not the id of a channel.'],
    ['C024', 'This is not the id of a channel.'],
    [' C024BE91L', 'This is not the id of a channel.'],
    ['C024BE91L\n', 'This is not the id of a channel.'],
    ['C024BE91L,C024BE91M', 'This is not the id of a channel.'],
    ['T024BE7LD', 'This is not the id of a channel.'],
    [`C${'0'.repeat(32)}`, 'This is not the id of a channel.'],
    ['', 'This is not the id of a channel.'],
  ])('%j and says why', (address, why) => {
    expect(slackChannel.parseTarget(address)).toEqual({
      ok: false,
      message: `${why} A Slack channel is given by its id, as in C024BE91L: open the channel's details to copy it.`,
    })
  })
})

test('escapes the three control characters of Slack and nothing else', () => {
  expect(slackChannel.escape?.(`<!channel> & "x" 'y' *b* &lt;`)).toBe(`&lt;!channel&gt; &amp; "x" 'y' *b* &amp;lt;`)
})

test('allows 40,000 characters', () => {
  expect(contentFaults({ subject: '', text: '😀'.repeat(40_000) }, slackChannel.limits)).toEqual([])
  expect(contentFaults({ subject: '', text: 'x'.repeat(40_001) }, slackChannel.limits)).toMatchObject([
    { measured: 40_001, allowed: 40_000 },
  ])
})
