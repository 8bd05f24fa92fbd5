import { isLoopback } from '../environments/loopback.ts'
import type { Io } from '../io.ts'
import { hasVariables } from '../settings/config-document.ts'
import type { Config } from '../settings/config-types.ts'

/** A config for a local server. */
export interface LocalConfig {
  readonly config: Config
  /** The integrations that were left out because environment variables for their secrets are not set. */
  readonly omitted: readonly string[]
  /** The keys of the event endpoints whose URL was removed because it points to another machine. */
  readonly detached: readonly string[]
}

const isRemote = (url: string | null | undefined): boolean => typeof url === 'string' && !isLoopback(new URL(url).hostname)

/**
 * Adapts a config to a local server, which must not send messages or events to other machines. Omits integrations whose
 * secrets are not set. Removes the URL of an event endpoint if the URL points to another machine. The endpoint's events can
 * still be read from the event feed.
 */
export const toLocalConfig = (config: Config, env: Io['env']): LocalConfig => {
  const { integrations, event_endpoints: endpoints } = config
  const entries = Object.entries(integrations ?? {})
  // The server would reject an integration without its secrets. The local server needs no integrations, because it captures
  // every message and never calls a provider.
  const complete = entries.filter(([, integration]) => hasVariables(integration, env))
  const detached = Object.entries(endpoints ?? {}).flatMap(([key, { url }]) => (isRemote(url) ? [key] : []))
  const local = Object.entries(endpoints ?? {}).map(([key, endpoint]) => [
    key,
    detached.includes(key) ? { ...endpoint, url: null } : endpoint,
  ])
  return {
    config: {
      ...config,
      ...(integrations && { integrations: Object.fromEntries(complete) }),
      ...(endpoints && { event_endpoints: Object.fromEntries(local) }),
    },
    omitted: entries.filter((entry) => !complete.includes(entry)).map(([sourceType]) => sourceType),
    detached,
  }
}
