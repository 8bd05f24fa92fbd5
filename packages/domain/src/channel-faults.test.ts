import { describe, expect, test } from 'vitest'
import { type Channels, canonicalTarget, channelFaults } from './channel-faults.ts'
import type { Channel } from './channels/channel.ts'
import { builtInChannels } from './channels/index.ts'

const channels: Channels = {
  get: (sourceType) => builtInChannels.find(({ id }) => id === sourceType),
  ids: builtInChannels.map(({ id }) => id),
}

describe('the faults that a channel finds in a flow', () => {
  test('are a provider that is not served, with those that are', () => {
    expect(channelFaults(channels, { source_type: 'fax', target: '' })).toEqual([
      {
        pointer: '/source_type',
        code: 'invalid_value',
        message: 'Is not served here. Must be one of "mailgun", "smtp", "slack".',
      },
    ])
  })

  test('are a target that the provider cannot have', () => {
    expect(channelFaults(channels, { source_type: 'smtp', target: 'C024BE91L' })).toMatchObject([
      { pointer: '/target', code: 'invalid_target' },
    ])
    expect(channelFaults(channels, { source_type: 'slack', target: 'C024BE91L' })).toEqual([])
  })

  test('are none where a schema has a fault already', () => {
    for (const fields of [{}, { source_type: 7, target: 'x' }, { source_type: 'smtp', target: '' }, { source_type: 'smtp', target: 7 }])
      expect(channelFaults(channels, fields)).toEqual([])
  })
})

test('a target is kept as its channel writes it, and as it is when the channel cannot read it', () => {
  const upper: Channel = {
    id: 'upper',
    kind: 'chat',
    limits: {},
    parseTarget: (address) =>
      address === '' ? { ok: false, message: 'Empty.' } : { ok: true, target: address.toUpperCase(), key: address },
  }
  const withUpper: Channels = { get: (sourceType) => (sourceType === 'upper' ? upper : undefined), ids: ['upper'] }
  expect(canonicalTarget(withUpper, 'upper', 'ops')).toBe('OPS')
  expect(canonicalTarget(withUpper, 'upper', '')).toBe('')
  expect(canonicalTarget(withUpper, 'fax', 'ops')).toBe('ops')
})
