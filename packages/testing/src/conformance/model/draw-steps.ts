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
   * These requirements apply to each server that may deliver messages (`ModelTarget.mayDeliver`):
   * - If `receiver` is set, the server captures messages or has credentials for the receiver's provider.
   * - If `receiver` is omitted, the server captures messages or has no credentials for the real providers.
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
 * Creates an arbitrary for sequences of requests. The sequences create, rename, page through and delete resources,
 * send, retry and cancel notifications, reuse idempotency keys, create API keys with other API keys, and contain some
 * invalid requests. fast-check shrinks a failing sequence to a shorter one.
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
