import { expect, it } from 'vitest'
import type { Queryable } from '../../database/database.ts'
import { newUuid } from '../../shared/ids.ts'
import { completionChannel, notifyCompleted } from './completion-watch.ts'

// PostgreSQL rejects payloads of 8,000 bytes or more.
const maxPayloadBytes = 7_999

it('announces each of 1,001 completed ids once, in payloads that PostgreSQL accepts', async () => {
  const ids = Array.from({ length: 1_001 }, newUuid)
  const payloads: string[] = []
  const query = async (_statement: unknown, [channel, payload]: readonly unknown[] = []) => {
    expect(channel).toBe(completionChannel)
    payloads.push(String(payload))
    return []
  }
  await notifyCompleted({ query } as unknown as Queryable, ids)
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(maxPayloadBytes)
  expect(payloads.flatMap((payload) => payload.split(','))).toEqual(ids)
})
