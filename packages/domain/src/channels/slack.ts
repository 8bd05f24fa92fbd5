import { z } from 'zod'
import { isSimulatedChannel, listSimulatedRecipients, simulatedChannelPrefix } from '../delivery/simulated-recipients.ts'
import type { ProviderDescription, TargetResult } from './channel.ts'
import { headerSecret } from './fields.ts'

/**
 * The pattern of Slack conversation ids, which start with C (channel), G (private channel or group) or D (direct message).
 * Slack's OpenAPI document has `^[CGD][A-Z0-9]{8,}$`, without a maximum length. The maximum of 32 characters here leaves
 * ample room: current ids have 9 to 11. Sources: https://docs.slack.dev/apis/web-api/using-the-conversations-api ("Working
 * with Shared Channels"), https://github.com/slackapi/slack-api-specs
 */
const conversationId = /^[CGD][A-Z0-9]{8,31}$/

const controlCharacters: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Parses the id of a Slack conversation, such as `C024BE91L`. Also accepts the simulated recipients of test messages.
 *
 * Rejects names (`#general`): a name can be reassigned to another channel, and only ids work in every API call. Also rejects
 * user ids (`U...`, `W...`), although `chat.postMessage` accepts them, for two reasons: a flow check cannot look them up, and
 * a target list with both a user id and the id of the direct message to that user (`D...`) would send the message twice.
 */
const parseSlackTarget = (address: string): TargetResult => {
  if (conversationId.test(address) || isSimulatedChannel(address)) return { ok: true, target: address, key: address }
  return {
    ok: false,
    message: `${explainMistake(address)} Use the id of a Slack channel, such as C024BE91L. Open the channel's details to copy it.`,
  }
}

const explainMistake = (address: string): string => {
  if (address.startsWith(simulatedChannelPrefix)) return `The simulated channels are ${listSimulatedRecipients('chat')}.`
  if (address.startsWith('#')) return 'This is a channel name, and names can change.'
  if (address.startsWith('@')) return 'This is a user name.'
  if (/^[UW][A-Z0-9]{8,31}$/.test(address))
    return 'This is a user id. The conversation with that user has a different id, which starts with D.'
  if (/^https?:/i.test(address)) return 'This is a link. Its last part may be the id.'
  if (conversationId.test(address.toUpperCase())) return 'Ids are upper case.'
  return 'This is not a channel id.'
}

/**
 * The description of the provider `slack`, which sends messages to a Slack conversation as the `text` of `chat.postMessage`.
 *
 * In inserted values, only `&`, `<` and `>` are escaped, as Slack requires (https://docs.slack.dev/messaging/formatting-message-text,
 * "Escaping text"). The limit is 40,000 characters because Slack truncates longer text
 * (https://api.slack.com/changelog/2018-04-truncating-really-long-messages).
 */
export const slackDescription = {
  id: 'slack',
  kind: 'chat',
  parseTarget: parseSlackTarget,
  escape: (value: string) => value.replace(/[&<>]/g, (character) => controlCharacters[character] ?? character),
  limits: { textCharacters: 40_000 },
  settings: z.strictObject({}),
  secrets: z.strictObject({ token: headerSecret }),
  // Empty, because the address of Slack's API is part of the deployment's configuration. No field of a credential can change
  // where the token is sent.
  secretDestination: {},
} as const satisfies ProviderDescription
