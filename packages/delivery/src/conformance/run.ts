import assert from 'node:assert/strict'
import { systemClock } from '../clock.ts'
import { type CourierOptions, createCourier } from '../courier.ts'
import { readCredential } from '../credential.ts'
import { DeliveryError } from '../delivery-error.ts'
import { createOpenEgress, type Egress } from '../egress.ts'
import type { CheckResult, OutgoingMessage, SendResult } from '../provider.ts'
import type { ConformanceCase } from './types.ts'

/** A check of the suite, with what it works with. */
export interface SuiteCheck {
  readonly name: string
  readonly run: (run: ConformanceRun) => Promise<void>
}

/** The means of a check. */
export interface ConformanceRun extends ConformanceCase {
  readonly message: (changes?: Partial<OutgoingMessage>) => OutgoingMessage
  /** Through a courier of its own. */
  readonly deliver: (message: OutgoingMessage, options?: CourierOptions) => Promise<SendResult>
  readonly inspect: () => Promise<readonly CheckResult[]>
  /** What a delivery fails with. */
  readonly failure: (message: OutgoingMessage, options?: CourierOptions) => Promise<DeliveryError>
  /** Calls the provider itself, past the courier's time-out and redaction. `onEgress` gets each address reached by `egress`. */
  readonly callDirectly: (message: OutgoingMessage, signal: AbortSignal, onEgress?: (address: string) => void) => Promise<SendResult>
  /** Every string among the secrets of the credential. */
  readonly secrets: readonly string[]
}

/** How long a check waits for what should come at once, in milliseconds. */
export const patienceMs = 5000

export function conformanceRun(subject: ConformanceCase): ConformanceRun {
  const { provider, credential, targets } = subject

  async function deliver(message: OutgoingMessage, options: CourierOptions = {}): Promise<SendResult> {
    const courier = createCourier({ timeoutMs: patienceMs, ...options })
    try {
      return await courier.deliver({ provider, credential, message })
    } finally {
      await courier.close()
    }
  }

  return {
    ...subject,
    message: (changes = {}) => ({
      deliveryId: 'dlv_01h455vb4pex5vsknk084sn02q',
      attemptNumber: 1,
      createdAt: new Date('2026-01-02T03:04:05.678Z'),
      target: targets[0],
      content: { subject: 'Conformance', text: 'Hello' },
      ...changes,
    }),
    deliver,
    async inspect() {
      const courier = createCourier({ timeoutMs: patienceMs })
      try {
        return await courier.check({ provider, credential, target: targets[0] })
      } finally {
        await courier.close()
      }
    },
    failure: (message, options) =>
      deliver(message, options).then(
        () => assert.fail('The message was delivered.'),
        (error) => {
          assert.ok(error instanceof DeliveryError, `Not a DeliveryError: ${error}`)
          return error
        },
      ),
    async callDirectly(message, signal, onEgress = () => {}) {
      const { settings, secrets } = readCredential(provider, credential)
      const fetch = globalThis.fetch
      const open = createOpenEgress((url, init) => fetch(url, { ...init, redirect: 'manual' }))
      const egress: Egress = {
        connect(destination, connectSignal) {
          onEgress(destination.host)
          return open.connect(destination, connectSignal)
        },
        fetch(url, init) {
          onEgress(url)
          return open.fetch(url, init)
        },
      }
      const session = await provider.open?.({ settings, secrets, timeoutMs: patienceMs, egress })
      try {
        return await provider.send({ settings, secrets, session, signal, fetch, egress, clock: systemClock, message, leaving: () => {} })
      } finally {
        await provider.close?.(session)
      }
    },
    secrets: stringsIn(credential.secrets),
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}
