import { builtInDescriptions, type Channels } from '@flowpost/domain'
import { createRecipients } from '../../src/features/delivery/recipients/recipients.ts'
import { createEventRecorder } from '../../src/features/events/record-events.ts'
import { systemClock } from '../../src/shared/clock.ts'

const byId = new Map(builtInDescriptions.map((channel) => [channel.id, channel]))
/** The built-in channels. */
export const testChannels: Channels = { get: (id) => byId.get(id), ids: [...byId.keys()] }

/** The digests of recipients, with a key that tests share. */
export const testRecipients = createRecipients(Buffer.alloc(32, 1), testChannels)

/** Stores the events of facts. */
export const recordTestEvents = createEventRecorder({ clock: systemClock, channels: testChannels })
