import type { Queue } from '../../src/features/delivery/queue/queue.ts'
import { onDatabase } from './direct-database.ts'
import type { TestDatabase } from './test-database.ts'

/** Makes all scheduled deliveries due now. Stop the server first if the database is embedded. */
export const setJobsDue = (database: TestDatabase): Promise<void> =>
  onDatabase(database, async (query) => {
    await query('update delivery_jobs set due_at = now()')
  })

/** Returns the number of all jobs, including claimed ones. */
export const countJobs = async (queue: Queue): Promise<number> => {
  const { due, leased, waiting, scheduled } = await queue.countByState()
  return due + leased + waiting + scheduled
}
