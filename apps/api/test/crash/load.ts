import type { ServerProcess } from './processes.ts'

/** What was asked of the servers, and what they said. */
export interface LoadResult {
  /** The ids of accepted notifications by the subject that they were sent with. */
  readonly accepted: ReadonlyMap<string, string>
  /** Subjects of requests that were refused: none of them may ever arrive. */
  readonly refused: ReadonlySet<string>
}

/** Sends requests until each has an answer, the way a careful client does: the same idempotency key over all tries. */
export const sendAll = async (options: {
  apis: readonly ServerProcess[]
  key: string
  projectId: string
  count: number
  concurrency: number
  onAccepted: (count: number) => void
}): Promise<LoadResult> => {
  const { apis, key, projectId, count, concurrency, onAccepted } = options
  const accepted = new Map<string, string>()
  const refused = new Set<string>()
  let next = 0

  const sendOne = async (number: number): Promise<void> => {
    const subject = `message ${number}`
    // Every tenth is a request that must be refused, and then must not be delivered either.
    const target = number % 10 === 0 ? 'not an address' : `receiver-${number}@example.com`
    for (let tries = 0; ; tries += 1) {
      const api = apis[(number + tries) % apis.length]
      const response = await fetch(`${api?.url}/v1/notifications`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': `crash-${number}` },
        body: JSON.stringify({ project_id: projectId, subject, message: 'x', target }),
        signal: AbortSignal.timeout(10_000),
      })
        .then(async (answer) => ({ status: answer.status, body: (await answer.json()) as { id: string } }))
        .catch(() => undefined)
      if (response?.status === 202) {
        accepted.set(subject, response.body.id)
        onAccepted(accepted.size)
        return
      }
      if (response?.status === 422) {
        refused.add(subject)
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
  return { accepted, refused }
}
