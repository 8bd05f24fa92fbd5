import assert from 'node:assert/strict'
import { parseCredential } from '../client/credential.ts'
import { createProviderClient, type ProviderClient } from '../client/provider-client.ts'
import { collectStrings } from '../client/redaction.ts'
import { systemClock } from '../clock.ts'
import { DeliveryError } from '../delivery-error.ts'
import { createUnrestrictedEgress, type Egress } from '../network/egress.ts'
import type { CheckResult, OutgoingMessage, SendResult } from '../provider.ts'
import type { ConformanceCase } from './types.ts'

/** A conformance check. Its `run` function receives a conformance case with helpers. */
export interface SuiteCheck {
  readonly name: string
  readonly run: (context: TestContext) => Promise<void>
}

/** A conformance case, extended with the helpers that the checks use. */
export interface TestContext extends ConformanceCase {
  readonly createMessage: (overrides?: Partial<OutgoingMessage>) => OutgoingMessage
  /** Delivers a message through a new provider client. */
  readonly deliver: (message: OutgoingMessage) => Promise<SendResult>
  readonly check: () => Promise<readonly CheckResult[]>
  /** Delivers a message and returns the resulting error. Throws if the delivery succeeds. */
  readonly deliverAndFail: (message: OutgoingMessage, timeoutMs?: number) => Promise<DeliveryError>
  /**
   * Calls the provider's `send` directly, without the timeout and redaction of the provider client. `onEgress` receives the
   * host or URL of each connection that the provider makes through `egress`.
   */
  readonly sendDirectly: (message: OutgoingMessage, signal: AbortSignal, onEgress?: (address: string) => void) => Promise<SendResult>
  /** Every string in the credential's secrets. */
  readonly secrets: readonly string[]
}

/** The maximum time to wait for an expected event, in milliseconds. */
export const waitTimeoutMs = 5000

/** Adds the helper functions of the conformance checks to a conformance case. */
export function createTestContext(conformanceCase: ConformanceCase): TestContext {
  const { provider, credential, targets } = conformanceCase

  async function withClient<Result>(operation: (client: ProviderClient) => Promise<Result>, timeoutMs = waitTimeoutMs): Promise<Result> {
    const client = createProviderClient({ timeoutMs })
    try {
      return await operation(client)
    } finally {
      await client.close()
    }
  }
  const deliver = (message: OutgoingMessage, timeoutMs?: number) =>
    withClient((client) => client.deliver({ provider, credential, message }), timeoutMs)

  return {
    ...conformanceCase,
    createMessage: (overrides = {}) => ({
      deliveryId: 'dlv_01h455vb4pex5vsknk084sn02q',
      attemptNumber: 1,
      createdAt: new Date('2026-01-02T03:04:05.678Z'),
      target: targets[0],
      content: { subject: 'Conformance', text: 'Hello' },
      ...overrides,
    }),
    deliver,
    check: () => withClient((client) => client.check({ provider, credential, target: targets[0] })),
    deliverAndFail: (message, timeoutMs) =>
      deliver(message, timeoutMs).then(
        () => assert.fail('The message was delivered, although the delivery should have failed.'),
        (error) => {
          assert.ok(error instanceof DeliveryError, `Not a DeliveryError: ${error}`)
          return error
        },
      ),
    async sendDirectly(message, signal, onEgress = () => {}) {
      const { settings, secrets } = parseCredential(provider, credential)
      const fetch = globalThis.fetch
      const unrestricted = createUnrestrictedEgress((url, init) => fetch(url, { ...init, redirect: 'manual' }))
      const egress: Egress = {
        connect(destination, connectSignal) {
          onEgress(destination.host)
          return unrestricted.connect(destination, connectSignal)
        },
        fetch(url, init) {
          onEgress(url)
          return unrestricted.fetch(url, init)
        },
      }
      const session = await provider.open?.({ settings, secrets, timeoutMs: waitTimeoutMs, egress })
      const sendContext = { message, markSendStarted: () => {}, withoutTimeout: <Result>(wait: () => Promise<Result>) => wait() }
      try {
        return await provider.send({ settings, secrets, session, signal, fetch, egress, clock: systemClock, ...sendContext })
      } finally {
        await provider.close?.(session)
      }
    },
    secrets: collectStrings(credential.secrets),
  }
}
