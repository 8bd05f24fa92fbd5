import type { Channel } from './channels/channel.ts'
import type { BodyFault } from './refusal.ts'

/** The delivery channels that are served, by `source_type`. */
export interface Channels {
  get(sourceType: string): Channel | undefined
  readonly ids: readonly string[]
}

/**
 * The faults that only a channel can find in a flow: a `source_type` that is not served, and a target
 * that its provider cannot have. Pure: whether the target exists is for a check to find out.
 */
export const channelFaults = (channels: Channels, fields: { source_type?: unknown; target?: unknown }): BodyFault[] => {
  const { source_type: sourceType, target } = fields
  if (typeof sourceType !== 'string') return []
  const channel = channels.get(sourceType)
  if (!channel) {
    const served = channels.ids.map((id) => JSON.stringify(id)).join(', ')
    return [{ pointer: '/source_type', code: 'invalid_value', message: `Is not served here. Must be one of ${served}.` }]
  }
  if (typeof target !== 'string' || target === '') return []
  const result = channel.parseTarget(target)
  return result.ok ? [] : [{ pointer: '/target', code: 'invalid_target', message: result.message }]
}

/** A target in the form that its channel stores; as it is when the channel cannot read it. */
export const canonicalTarget = (channels: Channels, sourceType: string, target: string): string => {
  const result = channels.get(sourceType)?.parseTarget(target)
  return result?.ok ? result.target : target
}
