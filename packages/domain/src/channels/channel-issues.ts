import type { BodyIssue } from '../planning/rejection.ts'
import type { Channel } from './channel.ts'

/** The channels that the deployment supports. `get` finds one by its `source_type`, and `ids` lists every `source_type`. */
export interface Channels {
  get(sourceType: string): Channel | undefined
  readonly ids: readonly string[]
}

/**
 * Returns the issues in a flow's fields that depend on the deployment's channels: an unknown `source_type`, or a target
 * that the channel rejects.
 */
export const findChannelIssues = (channels: Channels, fields: { source_type?: unknown; target?: unknown }): BodyIssue[] => {
  const { source_type: sourceType, target } = fields
  if (typeof sourceType !== 'string') return []
  const channel = channels.get(sourceType)
  if (!channel) {
    const ids = channels.ids.map((id) => JSON.stringify(id)).join(', ')
    return [
      { pointer: '/source_type', code: 'invalid_value', message: `This deployment has no provider with this id. Must be one of ${ids}.` },
    ]
  }
  if (typeof target !== 'string' || target === '') return []
  const result = channel.parseTarget(target)
  return result.ok ? [] : [{ pointer: '/target', code: 'invalid_target', message: result.message }]
}

/** Returns the canonical form of a target, or the target unchanged if its channel cannot parse it. */
export const canonicalizeTarget = (channels: Channels, sourceType: string, target: string): string => {
  const result = channels.get(sourceType)?.parseTarget(target)
  return result?.ok ? result.target : target
}
