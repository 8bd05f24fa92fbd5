import { builtInDescriptions, type Channels } from '@flowpost/domain'
import { createRecipients } from '../../src/features/delivery/recipients/recipients.ts'

const channels = new Map(builtInDescriptions.map((channel) => [channel.id, channel]))

/** The built-in channels. */
export const testChannels: Channels = { get: (id) => channels.get(id), ids: [...channels.keys()] }

/** The digests of recipients, with a key that tests share. */
export const testRecipients = createRecipients(Buffer.alloc(32, 1), testChannels)
