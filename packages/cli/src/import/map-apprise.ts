import { mapDiscord, mapJson, mapNativeUrl, mapSlack, mapWorkflows } from './apprise-chat.ts'
import { mapEmail, mapMailgun } from './apprise-email.ts'
import { type AppriseUrl, parseAppriseUrl } from './apprise-url.ts'
import type { Mapping } from './imported-service.ts'

const emailParams = ['user', 'pass', 'smtp', 'from', 'name', 'reply', 'to', 'cc', 'bcc', 'mode', 'pgp']

const workflowParams = ['sig', 'signature', 'ver', 'api-version', 'pa', 'powerautomate']

/**
 * The mapping for each supported URL scheme, with the URL parameters that it handles. In `params`, `-` stands for all
 * parameters that start with a hyphen.
 */
const mappers: Readonly<Record<string, { readonly map: (url: AppriseUrl) => Mapping; readonly params: readonly string[] }>> = {
  mailto: { map: mapEmail, params: emailParams },
  mailtos: { map: mapEmail, params: emailParams },
  mailgun: { map: mapMailgun, params: ['region', 'name', 'from', 'to', 'cc', 'bcc'] },
  slack: { map: mapSlack, params: ['to'] },
  discord: { map: mapDiscord, params: ['thread'] },
  workflow: { map: mapWorkflows, params: workflowParams },
  workflows: { map: mapWorkflows, params: workflowParams },
  json: { map: mapJson, params: ['method', '-'] },
  jsons: { map: mapJson, params: ['method', '-'] },
}

/** Maps a URL scheme to the reason why its service cannot be imported, although Flowpost has a similar provider. */
const reasons: Readonly<Record<string, string>> = {
  msteams:
    'Microsoft has retired Office 365 connectors in Teams. Create a Teams workflow, and replace the URL with workflows://host/workflow/signature.',
  xml: 'Flowpost sends JSON, not XML.',
  xmls: 'Flowpost sends JSON, not XML.',
  form: 'Flowpost sends JSON, not forms.',
  forms: 'Flowpost sends JSON, not forms.',
  azure: 'Flowpost sends mail through SMTP and Mailgun, not Office 365.',
  o365: 'Flowpost sends mail through SMTP and Mailgun, not Office 365.',
}

/** Parameters that the import omits without reporting them. They concern only Apprise or a message's appearance. */
const ignoredParams = new Set([
  'overflow',
  'format',
  'emojis',
  'interpret',
  'cto',
  'rto',
  'tz',
  'store',
  'footer',
  'image',
  'avatar',
  'tag',
  'schema',
])

const findLeftOut = ({ params }: AppriseUrl, handled: readonly string[]): string[] => {
  const isHandled = (name: string) => handled.includes(name.startsWith('-') ? '-' : name)
  const names = [...params.keys()].filter((name) => !isHandled(name) && !ignoredParams.has(name))
  return names.length > 0 ? [`parameters without a Flowpost counterpart are left out: ${names.map((name) => `${name}=`).join(', ')}`] : []
}

/** Maps an Apprise URL to a provider. */
export const mapAppriseUrl = (text: string): Mapping => {
  if (/^https?:\/\//i.test(text.trim()))
    return URL.canParse(text.trim()) ? mapNativeUrl(text.trim()) : { reason: 'This is not a valid URL.' }
  const url = parseAppriseUrl(text)
  if (url === undefined) return { reason: 'This is not an Apprise URL. Example: mailtos://user:password@example.com.' }
  const mapper = Object.hasOwn(mappers, url.schema) ? mappers[url.schema] : undefined
  if (mapper === undefined) {
    const reason = Object.hasOwn(reasons, url.schema) ? reasons[url.schema] : undefined
    return { reason: reason ?? `Flowpost has no provider for ${url.schema}://. Write one, or use a webhook.` }
  }
  const mapping = mapper.map(url)
  if ('reason' in mapping) return mapping
  return { ...mapping, losses: [...mapping.losses, ...findLeftOut(url, mapper.params)] }
}
