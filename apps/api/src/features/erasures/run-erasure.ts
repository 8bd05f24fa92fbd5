import { setTimeout as sleep } from 'node:timers/promises'
import { createAddressRedactor, keySpellings, recipientKey } from '@flowpost/domain'
import { type Database, instant } from '../../database/database.ts'
import { firstUuidOf, fromId } from '../../shared/ids.ts'
import { erasedTarget } from '../delivery/recipients/erased-target.ts'
import { awaitTransactions } from './await-transactions.ts'
import { eraseCaptured } from './erase-captured.ts'
import { eraseEvents } from './erase-events.ts'
import { eraseHistory } from './erase-history.ts'
import { eraseLog } from './erase-log.ts'
import { eraseResponses } from './erase-responses.ts'
import { eraseSettings } from './erase-settings.ts'
import { decryptAddress } from './erasure-address.ts'
import type { ErasedPerson, EraseStep, ErasureAreaDeps } from './erasure-area.ts'
import { type ClaimedErasure, completeErasure, lockErasure, saveProgress } from './erasure-queue.ts'

/** The dependencies of {@link runErasure}. */
export interface RunErasureDeps extends ErasureAreaDeps {
  readonly database: Database
}

/**
 * The database areas, in the order in which they are erased. While the log still contains the recipient, new responses
 * and events may contain the recipient too. So the log is erased before stored responses and events. In between, the
 * erasure waits for transactions that read the log before the recipient was erased from it.
 */
const areas: readonly { readonly phase: string; readonly step: EraseStep }[] = [
  { phase: 'transactions', step: awaitTransactions },
  { phase: 'log', step: eraseLog },
  { phase: 'transactions-after-log', step: awaitTransactions },
  { phase: 'captured', step: eraseCaptured },
  { phase: 'responses', step: eraseResponses },
  { phase: 'events', step: eraseEvents },
  { phase: 'settings', step: eraseSettings },
  { phase: 'history', step: eraseHistory },
]

// An erasure covers the notifications that were accepted before the erasure was requested. The time in a notification's id
// shows when the notification was accepted. That time is too late if the clock of the process that created the id is ahead.
// The erasure therefore also covers ids whose time is at most `maxClockDifferenceMs` after the erasure was requested.
const maxClockDifferenceMs = 60_000

// This pause lets other transactions run between the steps.
const betweenStepsMs = 5

/** The maximum number of steps before another erasure gets its turn. This many steps take about a second. */
const stepsPerTurn = 50

/** Returns an erasure's recipient, with functions that find and replace the recipient in stored data. */
export const personOf = ({ channels, recipients }: ErasureAreaDeps, erasure: ClaimedErasure): ErasedPerson => {
  const { id, userId, digest, sourceType, createdAt, address } = erasure
  if (!recipients.encryption) throw new Error('The key for recipient digests is missing.')
  const key = decryptAddress(recipients.encryption, id, address)
  const replacement = erasedTarget(digest)
  const cutoff = new Date(instant(createdAt).getTime() + maxClockDifferenceMs)
  const before = firstUuidOf(cutoff)
  const isRecipient: ErasedPerson['isErased'] = ({ source_type, target }) =>
    // An earlier release may have stored the key with the domain in Unicode.
    keySpellings(recipientKey(channels, source_type, target)).includes(key)
  const isCovered = (provider: string): boolean => sourceType === '' || sourceType === provider
  return {
    userId,
    digest,
    sourceType,
    key,
    cutoff,
    before,
    replacement,
    redactor: createAddressRedactor(key, replacement),
    isErased: (delivery) => isCovered(delivery.source_type) && isRecipient(delivery),
    isOfOtherProvider: (delivery) => !isCovered(delivery.source_type) && isRecipient(delivery),
    isLater: (id) => (fromId('notification', id) ?? fromId('delivery', id) ?? '') >= before,
  }
}

/**
 * The result of running an erasure. `paused` means that there are more steps. `lost` means that another process has claimed the
 * erasure, and continues it or has completed it.
 */
export type ErasureResult = 'done' | 'paused' | 'lost'

/** Runs one {@link EraseStep}. Returns `undefined` if there are more steps. */
const runStep = (deps: RunErasureDeps, erasure: ClaimedErasure, person: ErasedPerson): Promise<'done' | 'lost' | undefined> =>
  deps.database.transaction(async (transaction) => {
    const progress = await lockErasure(transaction, erasure)
    if (!progress) return 'lost'
    const at = progress.phase === null ? 0 : areas.findIndex(({ phase }) => phase === progress.phase)
    const area = areas[at]
    if (!area) throw new Error(`Unknown erasure phase ${JSON.stringify(progress.phase)}. Run the release that started the erasure.`)
    const { next, erased } = await area.step(transaction, deps, person, progress.position)
    const following = next === null ? areas[at + 1] : area
    if (!following) {
      await completeErasure(transaction, erasure.id)
      return 'done'
    }
    await saveProgress(transaction, erasure.id, { phase: following.phase, position: next }, erased)
    return undefined
  })

/**
 * Erases a recipient in bounded transactions. Each transaction stores its progress, so another process can continue
 * from there. Pauses after {@link stepsPerTurn} transactions, so that a long erasure does not delay other users'
 * erasures.
 */
export const runErasure = async (
  deps: RunErasureDeps,
  erasure: ClaimedErasure,
  person: ErasedPerson,
  signal: AbortSignal,
): Promise<ErasureResult> => {
  for (let step = 0; step < stepsPerTurn && !signal.aborted; step += 1) {
    const result = await runStep(deps, erasure, person)
    if (result) return result
    await sleep(betweenStepsMs)
  }
  return 'paused'
}
