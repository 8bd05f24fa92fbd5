import fc from 'fast-check'
import type { Receiver } from '../target.ts'
import {
  type Body,
  flowFields,
  merge,
  mostlyValid,
  name,
  omitUndefined,
  optionally,
  rarely,
  someFlowFields,
  texts,
  textType,
} from './arbitrary-bodies.ts'
import type { Json } from './sequence.ts'

/** The arbitraries for the bodies of flows, notifications and batches. These bodies determine who receives the messages. */
export interface FlowBodies {
  /** The body for creating a flow that sends messages. Always valid. */
  readonly sendingFlow: fc.Arbitrary<Body>
  /**
   * The body for creating a flow. Always valid. The flow's target is `bounce@flowpost.test`, where every message sent with a
   * test key fails. If `createFlowBodies` was called with a receiver, that receiver is the target instead.
   */
  readonly failingFlow: fc.Arbitrary<Body>
  /** The body for creating a flow. */
  readonly newFlow: fc.Arbitrary<Body>
  /** The body for replacing a flow. */
  readonly wholeFlow: fc.Arbitrary<Body>
  /** The body for patching a flow, sometimes with a provider but no target, or the reverse. */
  readonly someFlow: fc.Arbitrary<Body>
  /** The body for patching one field of a flow; sometimes empty. */
  readonly oneField: fc.Arbitrary<Body>
  /** The body of a notification. */
  readonly message: fc.Arbitrary<Body>
  /** The body of a batch. */
  readonly batch: fc.Arbitrary<Body>
}

const byMail: Receiver = { source_type: 'smtp', target: 'ops@example.com' }

const anyReceiver: readonly Receiver[] = [
  byMail,
  { source_type: 'smtp', target: 'Ops@EXAMPLE.com' },
  { source_type: 'slack', target: 'C024BE91L' },
  { source_type: 'discord', target: 'ops-alerts' },
  { source_type: 'webhook', target: 'ops' },
]

const anyOverride: readonly string[] = [
  'one@example.com',
  ' one@example.com;smtp:two@example.com ',
  'slack:C024BE91L',
  'one@example.com;one@EXAMPLE.com',
  'C024BE91L;one@example.com',
  'pigeon:coop',
  'ops;discord:dev',
  'one@example.com;',
]

const anyPatch = {
  targets: ['new@example.com', 'NEW@example.com', 'C0000000AA', 'dev'],
  sourceTypes: ['smtp', 'slack', 'webhook', 'SMTP'],
}

/** Creates the arbitraries for flow and message bodies. If `only` is given, valid bodies name no receiver except this one. */
export const createFlowBodies = (only?: Receiver): FlowBodies => {
  const receiver = fc.constantFrom(...(only ? [only] : anyReceiver)).map((chosen) => ({ ...chosen }))
  const overrides = only ? [only.target, ` ${only.source_type}:${only.target} `, 'pigeon:coop', `${only.target};`] : anyOverride
  const patch = only ? { targets: [only.target], sourceTypes: [only.source_type] } : anyPatch
  const target = fc.constantFrom(...patch.targets)
  const sourceType = fc.constantFrom(...patch.sourceTypes)
  const single = <T>(field: string, value: fc.Arbitrary<T>) => value.map((chosen) => ({ [field]: chosen }) as Body)

  const message = mostlyValid(
    fc.record({
      project_id: fc.constant('$project'),
      subject: texts.map((text) => text.replace(/\n/g, ' ')),
      message: texts,
      message_type: optionally(textType),
      target: rarely(fc.constantFrom(...overrides)),
      flow_id: rarely(fc.constant('$flow')),
      send_at: fc.constantFrom(undefined, undefined, '$later', '$later', '$earlier'),
      reference: rarely(fc.constantFrom('a', 'b')),
      metadata: rarely(fc.constantFrom<Json>({}, { b: '1', a: '2' }, { 'a b': '1' }, { a: 1 })),
      expires_at: rarely(fc.constantFrom('2999-01-01T00:00:00Z', '$earlier')),
    }),
  )
  const item = merge(fc.tuple(message, fc.record({ idempotency_key: rarely(fc.constantFrom('$key0', '$key1', 'two words', '')) })))

  return {
    sendingFlow: fc.constant({ name: 'a', ...(only ?? byMail) }),
    failingFlow: fc.constant({ name: 'a', ...(only ?? { source_type: 'smtp', target: 'bounce@flowpost.test' }) }),
    newFlow: mostlyValid(merge(fc.tuple(receiver, merge(fc.tuple(someFlowFields, fc.record({ name })))))),
    wholeFlow: mostlyValid(merge(fc.tuple(receiver, flowFields))),
    someFlow: mostlyValid(merge(fc.tuple(someFlowFields, fc.record({ target: rarely(target), source_type: rarely(sourceType) })))),
    oneField: fc.oneof(
      fc.constant<Body>({}),
      single('target', target),
      single('source_type', sourceType),
      flowFields.chain((fields) => fc.constantFrom(...Object.entries(fields).map(([field, value]) => ({ [field]: value }) as Body))),
    ),
    message,
    batch: mostlyValid(
      fc.record({
        notifications: fc.array(
          fc.oneof({ weight: 9, arbitrary: item.map(omitUndefined) }, { weight: 1, arbitrary: fc.constant<Json>(null) }),
          {
            maxLength: 3,
          },
        ),
      }),
    ),
  }
}
