import { createBuiltInProviders, type EgressPolicy, type Provider } from '@flowpost/delivery'
import type { Config } from './config/config.ts'

/** The delivery providers that every server serves, before those of `FLOWPOST_PROVIDERS`. */
export const deploymentProviders = ({ smtpConnections, mailgunApiUrl, slackApiUrl }: Config): readonly Provider[] =>
  createBuiltInProviders({
    smtp: { maxConnections: smtpConnections },
    ...(mailgunApiUrl === undefined ? {} : { mailgunApiUrl }),
    ...(slackApiUrl === undefined ? {} : { slackApiUrl }),
  })

/** What the credentials of tenants may reach: the public internet, and the networks that the deployment lists. */
export const egressPolicy = ({ egressAllow }: Config): EgressPolicy => ({ allowedNetworks: egressAllow })
