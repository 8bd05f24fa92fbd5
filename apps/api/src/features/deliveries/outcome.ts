import type { ComposedMessage } from '@flowpost/delivery'
import type { ChannelKind, Failure } from '@flowpost/domain'
import type { Job } from '../../queue/queue.ts'
import type { BegunAttempt } from './begin-attempts.ts'

/** How an attempt ended. */
export type Outcome =
  | {
      readonly status: 'sent'
      readonly providerMessageId: string | null
      readonly response: string
      readonly captured?: ComposedMessage
      readonly kind: ChannelKind
    }
  | { readonly status: 'retrying'; readonly failure: Failure; readonly response: string; readonly at: Date }
  | { readonly status: 'failed' | 'ambiguous'; readonly failure: Failure; readonly response: string }

/** An attempt that ended, to be recorded. */
export interface EndedAttempt {
  readonly job: Job
  readonly attempt: BegunAttempt
  readonly durationMs: number
  readonly outcome: Outcome
}

/** The name under which an outcome is recorded. */
export const recordedOutcome = (outcome: Outcome): string => (outcome.status === 'sent' && outcome.captured ? 'captured' : outcome.status)
