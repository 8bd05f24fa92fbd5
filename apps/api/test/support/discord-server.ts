import { createDiscord, type Provider } from '@flowpost/delivery'
import { type LocalServer, startLocalServer } from './local-server.ts'

/** A message that the webhook has posted. */
export interface DiscordMessage {
  readonly content: string
  readonly allowed_mentions: object
  readonly flags: number
}

/** A server that implements the webhook of one Discord channel. */
export interface DiscordServer extends LocalServer {
  readonly provider: Provider
  readonly webhookUrl: string
  readonly posted: readonly DiscordMessage[]
}

const id = '1180000000000000001'
const token = 'tOken_0123456789-abcdefghijklmnopqrstuvwxyz'
const channelId = '1180000000000000002'

/**
 * Starts the server. Its errors are those that Discord documents.
 * Source: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes
 */
export const startDiscordServer = async (): Promise<DiscordServer> => {
  const posted: DiscordMessage[] = []
  const server = await startLocalServer(({ method, path, headers, body }) => {
    const [, givenId, givenToken] = /^\/api(?:\/v\d+)?\/webhooks\/(\d+)\/([\w-]+)(?:\?wait=true)?$/.exec(path) ?? []
    if (!/^DiscordBot \(.+, .+\)$/.test(headers['user-agent'] ?? ''))
      return { status: 403, body: { message: 'internal network error', code: 40333 } }
    if (givenId !== id) return { status: 404, body: { message: 'Unknown Webhook', code: 10015 } }
    if (givenToken !== token) return { status: 401, body: { message: 'Invalid Webhook Token', code: 50027 } }
    if (method === 'GET') return { status: 200, body: { type: 1, id, name: 'Flowpost', channel_id: channelId } }
    const message = JSON.parse(body) as DiscordMessage
    const length = [...message.content].length
    if (length === 0) return { status: 400, body: { message: 'Cannot send an empty message', code: 50006 } }
    if (length > 2000) return { status: 400, body: { message: 'Invalid Form Body', code: 50035 } }
    posted.push(message)
    return { status: 200, body: { id: `118000000000000001${posted.length}`, channel_id: channelId, content: message.content } }
  })
  return {
    ...server,
    provider: createDiscord({ origins: [server.url] }),
    webhookUrl: `${server.url}/api/webhooks/${id}/${token}`,
    posted,
  }
}
