import { Webhook } from 'standardwebhooks'
import { expect } from 'vitest'
import type { EventRunPlan, EventRunReport } from './event-run.ts'

/** Expects the feed to contain each event exactly once, and the endpoint to have received every event in order. */
export const expectEventGuarantees = (plan: EventRunPlan, report: EventRunReport): void => {
  const { accepted, followed, feed, secret, received, kills } = report
  expect(kills).toBe(plan.kills)
  // Every tenth request is invalid.
  expect(accepted).toHaveLength(plan.messages - Math.floor(plan.messages / 10))

  const settled = feed.filter(({ type }) => type === 'notification.settled').map(({ data }) => data.id)
  const deliveries = feed.filter(({ type }) => type.startsWith('delivery.'))
  expect([...settled].sort()).toEqual([...accepted].sort())
  expect(deliveries.map(({ data }) => data.notification_id).sort()).toEqual([...accepted].sort())
  expect(new Set(feed.map(({ id }) => id)).size).toBe(feed.length)
  const placeOf = new Map(feed.map(({ id }, place) => [id, place]))
  for (const { id, data } of deliveries) {
    const completion = feed.findIndex((event) => event.type === 'notification.settled' && event.data.id === data.notification_id)
    expect(placeOf.get(id)).toBeLessThan(completion)
  }
  // The reader that followed the feed during the crashes received every event once, in the order of the feed.
  expect(followed.map(({ id }) => id)).toEqual(feed.map(({ id }) => id))

  // An event may arrive again after a crash, but the first arrivals of all events are in order.
  const firstArrivals = [...new Set(received.map(({ json }) => json.id as string))]
  expect(firstArrivals).toEqual(feed.map(({ id }) => id))
  const webhook = new Webhook(secret)
  for (const { body, headers, at } of received) {
    // The library rejects timestamps that are more than five minutes old, so only recent requests are verified.
    if (Date.now() - at > 240_000) continue
    expect(webhook.verify(body, headers as Record<string, string>)).toMatchObject({ id: headers['webhook-id'] })
  }
}
