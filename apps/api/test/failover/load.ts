import { createFlowpost, type Flowpost } from '@flowpost/client'

/**
 * Messages that are sent at a constant rate, without waiting for earlier calls. A message is skipped only while
 * {@link maxInProgress} calls are in progress. At 200 messages a second, that takes 40 seconds without responses.
 */
export interface Load {
  /** The ids of the accepted notifications, indexed by message number. */
  readonly accepted: readonly (string | undefined)[]
  /** The number of times that each message was received, indexed by message number. */
  readonly received: readonly number[]
  readonly failed: readonly unknown[]
  acceptedCount(): number
  receivedCount(): number
  maxCallMs(): number
  /** The number of calls in progress. */
  inProgress(): number
  /** Records a received message, given its text. */
  receive(raw: string): void
  /** Stops sending messages. */
  stop(): void
  /** Resolves when all calls have ended. */
  ended(): Promise<unknown>
}

const tickMs = 20

/** The maximum number of calls in progress. */
export const maxInProgress = 8_000

/** Returns an SDK client that sends each attempt to a random URL, as behind a load balancer. */
export const createBalancedClient = (urls: readonly string[], apiKey: string, random: () => number): Flowpost => {
  const [baseUrl = ''] = urls
  const pick = () => urls[Math.floor(random() * urls.length)] ?? baseUrl
  return createFlowpost({ baseUrl, apiKey, fetch: (url, init) => fetch(url.replace(baseUrl, pick()), init) })
}

/** Starts sending messages through the SDK. */
export const startLoad = (flowpost: Flowpost, projectId: string, perSecond: number): Load => {
  const accepted: (string | undefined)[] = []
  const received: number[] = []
  const failed: unknown[] = []
  const inProgress = new Set<Promise<void>>()
  let [acceptedCount, receivedCount, maxCallMs, sentAtMs, credit] = [0, 0, 0, performance.now(), 0]

  const sendOne = async (number: number): Promise<void> => {
    const beganMs = performance.now()
    try {
      const body = { project_id: projectId, subject: `message ${number}`, message: 'It is ready.' }
      const { id } = await flowpost.notifications.send(body, { idempotencyKey: `failover-${number}` })
      accepted[number] = id
      acceptedCount += 1
    } catch (error) {
      failed.push(error)
    }
    maxCallMs = Math.max(maxCallMs, performance.now() - beganMs)
  }

  const timer = setInterval(() => {
    const nowMs = performance.now()
    credit += ((nowMs - sentAtMs) / 1_000) * perSecond
    sentAtMs = nowMs
    for (; credit >= 1; credit -= 1) {
      if (inProgress.size >= maxInProgress) continue
      const number = accepted.push(undefined) - 1
      received[number] ??= 0
      const call = sendOne(number).finally(() => inProgress.delete(call))
      inProgress.add(call)
    }
  }, tickMs)

  return {
    accepted,
    received,
    failed,
    acceptedCount: () => acceptedCount,
    receivedCount: () => receivedCount,
    maxCallMs: () => maxCallMs,
    inProgress: () => inProgress.size,
    receive: (raw) => {
      const number = Number(/^Subject: message (\d+)$/m.exec(raw)?.[1])
      received[number] = (received[number] ?? 0) + 1
      receivedCount += 1
    },
    stop: () => clearInterval(timer),
    ended: () => Promise.all(inProgress),
  }
}
