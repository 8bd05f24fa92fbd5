import { Client } from 'pg'
import { firstUuidOf } from '../../src/shared/ids.ts'

// One message would prove nothing, because it might have been in flight during the fault.
const resumedAfter = 20
const observedMs = 300_000

/**
 * Returns, for each given time, the number of milliseconds until 20 messages were sent. Only messages accepted after the given
 * time count. Reads the database, because the thread that sends the load is too busy after an outage: it sees responses seconds
 * late.
 */
export const measureResumption = async (databaseUrl: string, times: readonly Date[]): Promise<number[]> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const durations: number[] = []
    for (const time of times) {
      const range = [time, new Date(time.getTime() + observedMs)].map(firstUuidOf)
      const { rows } = await client.query<{ settled_at: Date }>(
        `select settled_at from notifications where id >= $1 and id < $2 and status = 'sent' order by settled_at limit 1 offset ${resumedAfter - 1}`,
        range,
      )
      durations.push((rows[0]?.settled_at.getTime() ?? Number.POSITIVE_INFINITY) - time.getTime())
    }
    return durations
  } finally {
    await client.end()
  }
}
