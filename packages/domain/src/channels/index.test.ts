import { describe, expect, test } from 'vitest'
import { maxContentBytes } from '../content-limits.ts'
import { builtInChannels } from './index.ts'

test('brings two channels for email and one for chat, each with its own id', () => {
  expect(builtInChannels.map(({ id, kind }) => [id, kind])).toEqual([
    ['mailgun', 'email'],
    ['smtp', 'email'],
    ['slack', 'chat'],
  ])
})

describe.each(builtInChannels.map((channel) => [channel.id, channel] as const))('%s', (_, channel) => {
  const [mine, other] = channel.kind === 'email' ? ['ops@example.com', 'C024BE91L'] : ['C024BE91L', 'ops@example.com']

  test('tells its addresses from those of the other kind, so that a bare one can be routed', () => {
    expect(channel.parseTarget(mine)).toEqual({ ok: true, target: mine, key: mine })
    expect(channel.parseTarget(other).ok).toBe(false)
  })

  test('has an id that an override can name', () => {
    expect(channel.id).toMatch(/^[a-z][a-z0-9_-]*$/)
  })

  test('limits what it sends, below the limit on every content', () => {
    const { textCharacters, totalBytes } = channel.limits
    expect(channel.kind === 'chat' ? textCharacters : totalBytes).toBeGreaterThan(0)
    expect(totalBytes ?? 0).toBeLessThanOrEqual(maxContentBytes)
  })

  test('escapes on a chat only', () => {
    expect(channel.escape !== undefined).toBe(channel.kind === 'chat')
  })
})
