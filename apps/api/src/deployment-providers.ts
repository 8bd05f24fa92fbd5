import { createBuiltInProviders, type EgressPolicy, type Provider } from '@flowpost/delivery'
import type { Config } from './config.ts'

/** The delivery providers that every server serves, before those of `FLOWPOST_PROVIDERS`. */
export const deploymentProviders = ({ smtpConnections, mailgunApiUrl, slackApiUrl }: Config): readonly Provider[] =>
  createBuiltInProviders({
    smtp: { maxConnections: smtpConnections },
    ...(mailgunApiUrl === undefined ? {} : { mailgunApiUrl }),
    ...(slackApiUrl === undefined ? {} : { slackApiUrl }),
  })

/**
 * What the credentials of tenants may reach: the public internet, and the networks that the deployment
 * allows. One that lets tenants reach its own networks has services there on any port, and without TLS.
 */
export const egressPolicy = ({ egressAllow }: Config): EgressPolicy =>
  egressAllow.length === 0 ? {} : { allowedNetworks: egressAllow, httpPorts: 'any', plainHttp: true, smtpPorts: 'any' }
