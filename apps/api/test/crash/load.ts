import type { ServerProcess } from './processes.ts'

/** The sent requests, grouped by outcome. */
export interface LoadResult {
  /** The ids of accepted notifications, keyed by subject. */
  readonly accepted: ReadonlyMap<string, string>
  /** The subjects of rejected requests. None of them may be delivered. */
  readonly rejected: ReadonlySet<string>
}

/** Sends requests, and retries each with the same idempotency key until it has a final response. */
export const sendAll = async (options: {
  apis: readonly ServerProcess[]
  key: string
  projectId: string
  count: number
  concurrency: number
}): Promise<LoadResult> => {
  const { apis, key, projectId, count, concurrency } = options
  const accepted = new Map<string, string>()
  const rejected = new Set<string>()
  let next = 0

  const sendOne = async (number: number): Promise<void> => {
    const subject = `message ${number}`
    // Every tenth request is invalid.
    const target = number % 10 === 0 ? 'not an address' : `receiver-${number}@example.com`
    for (let tries = 0; ; tries += 1) {
      const api = apis[(number + tries) % apis.length]
      const response = await fetch(`${api?.url}/v1/notifications`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': `crash-${number}` },
        body: JSON.stringify({ project_id: projectId, subject, message: 'x', target }),
        signal: AbortSignal.timeout(10_000),
      })
        .then(async (result) => ({ status: result.status, body: (await result.json()) as { id: string } }))
        .catch(() => undefined)
      if (response?.status === 202) {
        accepted.set(subject, response.body.id)
        return
      }
      if (response?.status === 422) {
        rejected.add(subject)
        return
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < count) await sendOne(++next)
    }),
  )
  return { accepted, rejected }
}
