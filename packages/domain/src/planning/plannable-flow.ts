import type { Channel, TargetResult } from '../channels/channel.ts'

/** The fields of a flow that planning needs. */
export interface PlannableFlow {
  readonly active: boolean
  readonly source_type: string
  readonly target: string
  readonly override_target: boolean
}

interface CachedTarget {
  readonly channel: Channel
  readonly address: string
  readonly result: TargetResult
}

// Parsing an address takes longer than the rest of planning, and most notifications go to the same targets.
const cache = new WeakMap<PlannableFlow, CachedTarget>()

/** Parses a flow's default target. The result is cached per flow object until the flow's target or channel changes. */
export const parseDefaultTarget = (flow: PlannableFlow, channel: Channel): TargetResult => {
  const cached = cache.get(flow)
  if (cached?.channel === channel && cached.address === flow.target) return cached.result
  const result = channel.parseTarget(flow.target)
  cache.set(flow, { channel, address: flow.target, result })
  return result
}
