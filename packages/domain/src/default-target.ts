import type { Channel, TargetResult } from './channels/channel.ts'
import type { PlannableFlow } from './plannable-flow.ts'

interface Read {
  readonly channel: Channel
  readonly address: string
  readonly result: TargetResult
}

// Reading an address takes longer than all the rest of planning, and most notifications go where the last one went.
const read = new WeakMap<PlannableFlow, Read>()

/** What the channel of a flow makes of its default target: read once for as long as the flow is kept and both stay the same. */
export const defaultTarget = (flow: PlannableFlow, channel: Channel): TargetResult => {
  const known = read.get(flow)
  if (known?.channel === channel && known.address === flow.target) return known.result
  const result = channel.parseTarget(flow.target)
  read.set(flow, { channel, address: flow.target, result })
  return result
}
