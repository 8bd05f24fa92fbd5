import { type Credential, parseSmtpUrl } from '@flowpost/delivery'
import type { Config } from '../../config/config.ts'

/**
 * The credentials that the deployment's environment holds, by `source_type`.
 * @throws TypeError when one is not usable, saying why without repeating it.
 */
export const readDeploymentCredentials = (config: Config): ReadonlyMap<string, Credential> => {
  const credentials = new Map<string, Credential>()
  if (config.smtpUrl !== undefined && config.emailFrom !== undefined)
    credentials.set('smtp', parseSmtpUrl(config.smtpUrl, config.emailFrom))
  if (config.mailgun && config.emailFrom !== undefined) {
    const { apiKey, domain, region } = config.mailgun
    credentials.set('mailgun', { settings: { domain, region, from: config.emailFrom }, secrets: { api_key: apiKey }, trusted: true })
  }
  if (config.slackToken !== undefined) credentials.set('slack', { settings: {}, secrets: { token: config.slackToken }, trusted: true })
  return credentials
}
