import type { DeliveryRecord } from '../state/records.ts'
import { providerOf, type World } from '../state/world.ts'

/** What a provider answers to a message that it accepts. */
export const acceptedBy = (world: World, delivery: DeliveryRecord): { providerMessageId: string | null; response: string } => {
  if (delivery.captured) return { providerMessageId: null, response: 'Captured, not sent.' }
  if (providerOf(world, delivery.source_type)?.kind === 'chat') {
    const ts = `${Math.floor(world.clock.now() / 1000)}.${String(Math.floor(world.random() * 1e6)).padStart(6, '0')}`
    return { providerMessageId: ts, response: JSON.stringify({ ok: true, channel: delivery.target, ts }) }
  }
  return { providerMessageId: `<${delivery.id}@flowpost.test>`, response: '250 2.0.0 Ok: queued' }
}
