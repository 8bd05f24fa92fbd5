import { setTimeout as sleep } from 'node:timers/promises'
import { createAddressRedactor, recipientKey } from '@flowpost/domain'
import { type Database, instant } from '../../database/database.ts'
import { firstUuidOf } from '../../shared/ids.ts'
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
 * The database areas, in the order in which they are erased. Stored responses and events come after the log, because
 * transactions that write to the log may add responses and events about the recipient until the log is erased.
 */
const areas: readonly { readonly phase: string; readonly step: EraseStep }[] = [
  { phase: 'transactions', step: awaitTransactions },
  { phase: 'log', step: eraseLog },
  { phase: 'captured', step: eraseCaptured },
  { phase: 'responses', step: eraseResponses },
  { phase: 'events', step: eraseEvents },
  { phase: 'settings', step: eraseSettings },
  { phase: 'history', step: eraseHistory },
]

// Added to the time of the erasure request, because the clocks of the processes that accept messages differ, and a
// message may be stored a few seconds after its id was created.
const maxClockDifferenceMs = 60_000

// This pause lets other transactions run between the steps.
const betweenStepsMs = 5

/** Returns an erasure's recipient, with functions that find and replace the recipient in stored data. */
export const personOf = ({ channels, recipients }: ErasureAreaDeps, erasure: ClaimedErasure): ErasedPerson => {
  const { id, userId, digest, sourceType, createdAt, address } = erasure
  if (!recipients.encryption) throw new Error('The key for recipient digests is missing.')
  const key = decryptAddress(recipients.encryption, id, address)
  const replacement = erasedTarget(digest)
  return {
    userId,
    digest,
    sourceType,
    key,
    before: firstUuidOf(new Date(instant(createdAt).getTime() + maxClockDifferenceMs)),
    replacement,
    redactor: createAddressRedactor(key, replacement),
    isErased: ({ source_type, target }) =>
      (sourceType === '' || sourceType === source_type) && recipientKey(channels, source_type, target) === key,
  }
}

/**
 * Runs one {@link EraseStep}. Returns `false` if this process has nothing left to do, because the erasure is done or
 * another process has claimed it.
 */
const runStep = (deps: RunErasureDeps, erasure: ClaimedErasure, person: ErasedPerson): Promise<boolean> =>
  deps.database.transaction(async (transaction) => {
    const progress = await lockErasure(transaction, erasure)
    if (!progress) return false
    const at = progress.phase === null ? 0 : areas.findIndex(({ phase }) => phase === progress.phase)
    const area = areas[at]
    if (!area) throw new Error(`This release does not know the erasure phase ${JSON.stringify(progress.phase)}.`)
    const { next, erased } = await area.step(transaction, deps, person, progress.position)
    const following = next === null ? areas[at + 1] : area
    if (!following) {
      await completeErasure(transaction, erasure.id)
      return false
    }
    await saveProgress(transaction, erasure.id, { phase: following.phase, position: next }, erased)
    return true
  })

/**
 * Erases a recipient in bounded transactions. Each transaction stores its progress, so another process can continue
 * from there.
 */
export const runErasure = async (
  deps: RunErasureDeps,
  erasure: ClaimedErasure,
  person: ErasedPerson,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted && (await runStep(deps, erasure, person))) await sleep(betweenStepsMs)
}
