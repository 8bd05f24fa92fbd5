import type { AppriseUrl } from './apprise-url.ts'
import type { Mapping } from './imported-service.ts'

// Apprise writes the title before the body.
const template = '{{subject}}\n{{message}}'

const conversationId = /^[CGD][A-Z0-9]{8,31}$/

/** Maps `slack://` with a bot token to the provider `slack`. */
export const mapSlack = ({ host, path, params }: AppriseUrl): Mapping => {
  if (!/^xox[a-z]-[\w-]+$/i.test(host))
    return {
      reason:
        'Flowpost uses a bot token, not a Slack webhook. Create a Slack app with the scope chat:write. Then use its token and a channel id: slack://xoxb-…/+C024BE91L',
    }
  const given = [...path, ...(params.get('to') ?? '').split(/[\s,]+/)].filter((channel) => channel !== '')
  const isId = (channel: string) => conversationId.test(channel.replace(/^[#+]/, ''))
  const targets = [...new Set(given.filter(isId).map((channel) => channel.replace(/^[#+]/, '')))]
  const others = given.filter((channel) => !isId(channel))
  const reason = 'A flow needs a channel id, such as C024BE91L, because names can change.'
  if (targets.length === 0) return { reason: `${others.length > 0 ? others.join(', ') : 'No channel is given'}: ${reason}` }
  return {
    sourceType: 'slack',
    targets,
    template,
    settings: {},
    secrets: { token: host },
    losses: others.map((channel) => `${channel} is left out. ${reason}`),
  }
}

/** Maps `discord://` to the provider `discord`. */
export const mapDiscord = ({ host, path: [token], params }: AppriseUrl): Mapping => {
  if (!/^\d+$/.test(host) || token === undefined || !/^[\w-]+$/.test(token))
    return { reason: 'The URL needs a webhook id and token: discord://id/token.' }
  if (params.has('thread')) return { reason: 'Flowpost posts to channels, not to threads.' }
  return {
    sourceType: 'discord',
    targets: [],
    url: `https://discord.com/api/webhooks/${host}/${token}`,
    template,
    settings: {},
    secrets: {},
    losses: [],
  }
}

const isWorkflowHost = (host: string): boolean => /\.(?:logic\.azure\.com|api\.powerplatform\.com)$/i.test(host)

/** Maps `workflows://` to the provider `teams`. */
export const mapWorkflows = ({ host, port, path: [workflow, pathSignature], params }: AppriseUrl): Mapping => {
  const signature = pathSignature ?? params.get('sig') ?? params.get('signature')
  if (workflow === undefined || signature === undefined || !isWorkflowHost(host))
    return { reason: 'The URL needs a Power Automate host, a workflow and a signature: workflows://host/workflow/signature.' }
  const isPowerAutomate = /^(?:y|t|1|on|enable)/i.test(params.get('pa') ?? params.get('powerautomate') ?? 'no')
  const defaultVersion = isPowerAutomate ? '2022-03-01-preview' : '2016-06-01'
  const query = new URLSearchParams({
    'api-version': params.get('ver') ?? params.get('api-version') ?? defaultVersion,
    sp: '/triggers/manual/run',
    sv: '1.0',
    sig: signature,
  })
  return {
    sourceType: 'teams',
    targets: [],
    url: `https://${host.toLowerCase()}${port === undefined ? '' : `:${port}`}${isPowerAutomate ? '/powerautomate/automations/direct' : ''}/workflows/${encodeURIComponent(workflow)}/triggers/manual/paths/invoke?${query}`,
    template,
    settings: {},
    secrets: {},
    losses: [],
  }
}

/** Maps the native URL of a service, such as a Discord webhook URL. Apprise accepts these URLs too. */
export const mapNativeUrl = (text: string): Mapping => {
  const url = new URL(text)
  if (/(?:^|\.)(?:discord|discordapp)\.com$/.test(url.hostname)) {
    const [, id, token] = /^\/api(?:\/v\d+)?\/webhooks\/(\d+)\/([\w-]+)\/?$/.exec(url.pathname) ?? []
    if (id !== undefined && token !== undefined)
      return mapDiscord({
        schema: 'discord',
        user: undefined,
        password: undefined,
        host: id,
        port: undefined,
        path: [token],
        params: new Map(url.searchParams),
      })
  }
  if (url.protocol === 'https:' && isWorkflowHost(url.hostname) && url.hash === '' && url.username === '')
    return { sourceType: 'teams', targets: [], url: url.href, template, settings: {}, secrets: {}, losses: [] }
  if (url.hostname === 'hooks.slack.com')
    return {
      reason:
        'Flowpost uses a bot token, not a Slack webhook. Create a Slack app with the scope chat:write. Then use its token and a channel id: slack://xoxb-…/+C024BE91L',
    }
  return { reason: 'This is not the URL of a service that Flowpost knows. For a webhook, use json:// or jsons://.' }
}

/** Maps `json://` and `jsons://` to the provider `webhook`. */
export const mapJson = ({ schema, user, host, port, path, params }: AppriseUrl): Mapping => {
  const names = [...params.keys()]
  if (user !== undefined)
    return { reason: 'The receiver needs HTTP authentication. Flowpost signs requests instead: let the receiver verify the signature.' }
  if (names.some((name) => name.startsWith('+')))
    return { reason: 'Flowpost sends no custom headers. It signs requests instead: let the receiver verify the signature.' }
  if (names.some((name) => name.startsWith(':')))
    return { reason: 'Flowpost sends a fixed body. Parameters that start with ":" cannot change it.' }
  if ((params.get('method') ?? 'post').toLowerCase() !== 'post') return { reason: 'Flowpost sends POST requests only.' }
  const query = names.filter((name) => name.startsWith('-')).map((name): [string, string] => [name.slice(1), params.get(name) ?? ''])
  const search = query.length > 0 ? `?${new URLSearchParams(query)}` : ''
  const protocol = schema === 'jsons' ? 'https' : 'http'
  const text = `${protocol}://${host}${port === undefined ? '' : `:${port}`}/${path.map(encodeURIComponent).join('/')}${search}`
  if (!URL.canParse(text)) return { reason: 'The host is not valid.' }
  return {
    sourceType: 'webhook',
    targets: [],
    url: new URL(text).href,
    settings: {},
    secrets: { signing_secret: undefined },
    losses: [
      'the body is signed, and its fields differ from those of Apprise: adapt the receiver',
      ...(protocol === 'http' ? ['plain HTTP works only in networks that the server allows (FLOWPOST_EGRESS_ALLOW)'] : []),
    ],
  }
}
