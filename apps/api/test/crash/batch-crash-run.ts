import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFlowpost, type NotificationBatchItem, type NotificationBatchResult } from '@flowpost/client'
import { expect } from 'vitest'
import { createRandom } from '../fuzz/random.ts'
import { createServerProcess, type ServerProcess } from './processes.ts'

/** The parameters of a run that kills servers in the middle of batches. */
export interface BatchCrashPlan {
  readonly batches: number
  readonly items: number
  readonly kills: number
  /** The seed for the random choice of the processes to kill and of the pauses. The actual timing also depends on the machine. */
  readonly seed: number
}

const isTemporary = ({ status, ...result }: NotificationBatchResult['results'][number]): boolean =>
  status >= 429 || ('problem' in result && result.problem.code === 'idempotency_in_progress')

/**
 * Sends batches while server processes are killed, and repeats each batch with the same keys until every item has a final
 * result. Expects each valid item to be stored exactly once, under the id in its result, and no invalid item to be stored.
 */
export const expectBatchesStoredOnce = async (plan: BatchCrashPlan, env: Readonly<Record<string, string>>): Promise<void> => {
  const random = createRandom(plan.seed).next
  const apiKey = `fp_${randomBytes(24).toString('base64url')}`
  const common = { FLOWPOST_BOOTSTRAP_KEYS: `alice:${apiKey}`, FLOWPOST_CAPTURE: 'on', FLOWPOST_RATE_LIMIT: 'off', ...env }
  const roles = env['DATABASE_URL'] === undefined ? ['all'] : ['api', 'api']
  const servers = await Promise.all(roles.map((FLOWPOST_ROLE) => createServerProcess({ ...common, FLOWPOST_ROLE })))
  try {
    await Promise.all(servers.map((server) => server.start()))
    const clients = servers.map(({ url }) => createFlowpost({ baseUrl: url, apiKey, attemptTimeout: 10_000 }))
    const [client] = clients as [ReturnType<typeof createFlowpost>]
    const project = await client.projects.create({ name: `crash ${plan.seed}` })
    await client.flows.create(project.id, { name: 'mail', source_type: 'smtp', target: 'ops@example.com' })
    const send_at = new Date(Date.now() + 3_600_000).toISOString()

    /**
     * Returns the items of a batch. Every tenth item is invalid. In every second batch, items have no keys, so only the batch
     * has one.
     */
    const itemsOf = (batch: number): NotificationBatchItem[] =>
      Array.from({ length: plan.items }, (_, index) => ({
        project_id: project.id,
        subject: index % 10 === 9 ? '' : `${batch}-${index}`,
        message: 'm',
        send_at,
        ...(batch % 2 === 0 ? { idempotency_key: `crash-${batch}-${index}` } : {}),
      }))

    let isDone = false
    const accepted = new Map<string, string>()
    const sendBatch = async (batch: number): Promise<void> => {
      const notifications = itemsOf(batch)
      for (let tries = 0; ; tries += 1) {
        const target = clients[(batch + tries) % clients.length] ?? client
        const answer = await target.notifications
          .sendBatch({ notifications }, { idempotencyKey: `crash-${batch}`, maxRetries: 0 })
          .catch(() => undefined)
        if (answer && !answer.results.some(isTemporary)) {
          for (const [index, result] of answer.results.entries())
            if (result.status === 202) accepted.set(notifications[index]?.subject ?? '', result.notification.id)
          return
        }
        await sleep(50)
      }
    }
    const killRandomly = async (): Promise<void> => {
      for (let kills = 0; kills < plan.kills && !isDone; kills += 1) {
        await sleep(30 + random() * 300)
        const victim = servers[Math.floor(random() * servers.length)] as ServerProcess
        await victim.kill()
        await victim.start()
      }
    }
    let next = 0
    const sending = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (next < plan.batches) await sendBatch(next++)
      }),
    ).finally(() => {
      isDone = true
    })
    await Promise.all([sending, killRandomly()])

    const stored = new Map<string, string[]>()
    for await (const { id, subject } of client.notifications.list({ project_id: project.id, limit: 1000 }))
      stored.set(subject ?? '', [...(stored.get(subject ?? '') ?? []), id])
    const valid = Array.from({ length: plan.batches }, (_, batch) => itemsOf(batch))
      .flat()
      .filter(({ subject }) => subject !== '')
    expect([...stored].filter(([, ids]) => ids.length > 1)).toEqual([])
    expect(stored.size).toBe(valid.length)
    for (const { subject } of valid) expect(stored.get(subject)).toEqual([accepted.get(subject)])
  } finally {
    await Promise.all(servers.map((server) => server.kill()))
  }
}
