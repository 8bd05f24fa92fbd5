import fc from 'fast-check'
import type { Receiver } from '../target.ts'
import { createFlowBodies, type FlowBodies } from './arbitrary-flows.ts'
import { createWeightedSteps, few, step } from './arbitrary-steps.ts'
import { createWeightedStories } from './arbitrary-stories.ts'
import type { Step } from './sequence.ts'

/** Options for {@link drawSteps}. */
export interface DrawOptions {
  /**
   * Maximum number of steps per sequence. Up to four additional steps at the start create resources.
   * @default 30
   */
  readonly maxSteps?: number
  /**
   * The receiver of every message. If omitted, messages are addressed to recipients of several real providers.
   *
   * If a server has `ModelTarget.mayDeliver` and does not capture all messages, its credentials must match this option:
   * - If `receiver` is set, the server must have credentials for the receiver's provider.
   * - If `receiver` is omitted, the server must have no credentials for the real providers.
   */
  readonly receiver?: Receiver | undefined
}

/** The weight of single steps, relative to the weights of the stories in {@link createWeightedStories}. */
const singleStepsWeight = 60

/** The initial steps of a sequence, which create resources for later steps. Each one is occasionally omitted. */
const firstSteps = (bodies: FlowBodies) =>
  fc.tuple(
    ...[
      fc.constant<Step>({ operation: 'projects.create', body: { name: '$name0' } }),
      fc.constant<Step>({ operation: 'projects.create', body: { name: '$name1' } }),
      step('flows.create', { project: fc.constant(0), body: bodies.newFlow }),
      step('flows.create', { project: few, body: bodies.newFlow }),
    ].map((arbitrary) => fc.option(arbitrary, { nil: undefined, freq: 15 })),
  )

/**
 * Creates an arbitrary for sequences of requests. Some requests create, rename, page through and delete resources. Other
 * requests send, retry and cancel notifications, reuse idempotency keys, or create API keys with other API keys. Some requests
 * are invalid. fast-check shrinks a failing sequence to a shorter one.
 *
 * The sequences are meant to run on two servers. {@link DrawOptions.receiver} describes what the servers need.
 */
export const drawSteps = (options: DrawOptions = {}): fc.Arbitrary<Step[]> => {
  const { maxSteps = 30, receiver } = options
  const bodies = createFlowBodies(receiver)
  const any = fc.oneof(...createWeightedSteps(bodies))
  const single = { weight: singleStepsWeight, arbitrary: any.map((drawn): readonly Step[] => [drawn]) }
  const further = fc.array(fc.oneof(single, ...createWeightedStories(bodies, any)), { minLength: 1, maxLength: maxSteps, size: 'max' })
  return fc
    .tuple(firstSteps(bodies), further)
    .map(([first, rest]) => [...first.filter((drawn) => drawn !== undefined), ...rest.flat().slice(0, maxSteps)])
}
