import { describe, expect, test } from 'vitest'
import type { Channel } from './channel.ts'
import { type Channels, canonicalizeTarget, findChannelIssues } from './channel-issues.ts'
import { builtInDescriptions } from './index.ts'

const channels: Channels = {
  get: (sourceType) => builtInDescriptions.find(({ id }) => id === sourceType),
  ids: builtInDescriptions.map(({ id }) => id),
}

describe('findChannelIssues', () => {
  test('rejects an unknown provider and lists the registered ones', () => {
    expect(findChannelIssues(channels, { source_type: 'fax', target: '' })).toEqual([
      {
        pointer: '/source_type',
        code: 'invalid_value',
        message: 'This deployment has no provider with this id. Must be one of "mailgun", "smtp", "slack", "discord", "teams", "webhook".',
      },
    ])
  })

  test('rejects a target that the provider rejects', () => {
    expect(findChannelIssues(channels, { source_type: 'smtp', target: 'C024BE91L' })).toMatchObject([
      { pointer: '/target', code: 'invalid_target' },
    ])
    expect(findChannelIssues(channels, { source_type: 'slack', target: 'C024BE91L' })).toEqual([])
  })

  test('returns no issues for fields that the schema rejects', () => {
    for (const fields of [{}, { source_type: 7, target: 'x' }, { source_type: 'smtp', target: '' }, { source_type: 'smtp', target: 7 }])
      expect(findChannelIssues(channels, fields)).toEqual([])
  })
})

test('canonicalizeTarget returns the canonical form, or the target unchanged if the channel cannot parse it', () => {
  const upper: Channel = {
    id: 'upper',
    kind: 'chat',
    limits: {},
    parseTarget: (address) =>
      address === '' ? { ok: false, message: 'Empty.' } : { ok: true, target: address.toUpperCase(), key: address },
  }
  const withUpper: Channels = { get: (sourceType) => (sourceType === 'upper' ? upper : undefined), ids: ['upper'] }
  expect(canonicalizeTarget(withUpper, 'upper', 'ops')).toBe('OPS')
  expect(canonicalizeTarget(withUpper, 'upper', '')).toBe('')
  expect(canonicalizeTarget(withUpper, 'fax', 'ops')).toBe('ops')
})
