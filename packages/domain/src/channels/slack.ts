import type { Channel, TargetResult } from './channel.ts'

/**
 * Ids of conversations start with C (channel), G (private channel or group) or D (direct message); Slack's
 * OpenAPI document has `^[CGD][A-Z0-9]{8,}$`. The upper end is ours: ids of today have 9 to 11 characters.
 * Sources: https://docs.slack.dev/apis/web-api/using-the-conversations-api ("Working with Shared Channels"),
 * https://github.com/slackapi/slack-api-specs
 */
const conversationId = /^[CGD][A-Z0-9]{8,31}$/

const controlCharacters: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Reads the id of a Slack conversation, as in `C024BE91L`.
 *
 * A name (`#general`) is refused: it can be given to another channel later, and only an id works in every call.
 * The id of a user (`U...`, `W...`) is refused too, although `chat.postMessage` takes it: it is no channel, so the
 * check could not look it up, and a duplicate of the direct message (`D...`) to the same user would go unnoticed.
 */
const parseSlackTarget = (address: string): TargetResult => {
  if (conversationId.test(address)) return { ok: true, target: address, key: address }
  return {
    ok: false,
    message: `${complaint(address)} A Slack channel is given by its id, as in C024BE91L: open the channel's details to copy it.`,
  }
}

const complaint = (address: string): string => {
  if (address.startsWith('#')) return 'This is the name of a channel, which may change.'
  if (address.startsWith('@')) return 'This is the name of a user.'
  if (/^[UW][A-Z0-9]{8,31}$/.test(address)) return 'This is the id of a user; give that of the direct message, which starts with D.'
  if (/^https?:/i.test(address)) return 'This is a link; its last part may be the id.'
  if (conversationId.test(address.toUpperCase())) return 'Ids are written in capitals.'
  return 'This is not the id of a channel.'
}

/**
 * A message to a Slack conversation, sent as the `text` of `chat.postMessage`.
 *
 * In values only `&`, `<` and `>` are escaped, as Slack asks for
 * (https://docs.slack.dev/messaging/formatting-message-text, "Escaping text"). Slack cuts a text off after
 * 40,000 characters (https://api.slack.com/changelog/2018-04-truncating-really-long-messages).
 */
export const slackChannel: Channel = {
  id: 'slack',
  kind: 'chat',
  parseTarget: parseSlackTarget,
  escape: (value) => value.replace(/[&<>]/g, (character) => controlCharacters[character] ?? character),
  limits: { textCharacters: 40_000 },
}
