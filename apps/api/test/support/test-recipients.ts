import { builtInDescriptions, type Channels } from '@flowpost/domain'
import { createRecipients } from '../../src/features/delivery/recipients/recipients.ts'
import { createEventRecorder } from '../../src/features/events/record-events.ts'
import { systemClock } from '../../src/shared/clock.ts'

const byId = new Map(builtInDescriptions.map((channel) => [channel.id, channel]))
/** The built-in channels. */
export const testChannels: Channels = { get: (id) => byId.get(id), ids: [...byId.keys()] }

/** The functions that compute recipient digests, with a key that all tests share. */
export const testRecipients = createRecipients(Buffer.alloc(32, 1), testChannels)

/** Records events in the database, for the built-in channels. */
export const recordTestEvents = createEventRecorder({ clock: systemClock, channels: testChannels })
