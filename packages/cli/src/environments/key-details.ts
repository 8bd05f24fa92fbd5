import { type ApiKey, type Flowpost, isFlowpostError } from '@flowpost/client'
import { type KeyFacts, readKeyFacts } from './key-facts.ts'

/** The facts about a credential, from the credential itself and from the server. */
export interface KeyDetails extends KeyFacts {
  /** The key as the server lists it, or `null` if it cannot be identified in the list. */
  readonly listed: ApiKey | null
  /** Whether the server lets the credential read settings. */
  readonly canReadSettings: boolean
  /** Whether the server lets the credential read notifications. */
  readonly canReadNotifications: boolean
}

const isAllowed = async (request: PromiseLike<unknown>): Promise<boolean> => {
  try {
    await request
    return true
  } catch (error) {
    if (isFlowpostError(error) && error.code === 'scope_missing') return false
    throw error
  }
}

/**
 * Determines what a credential may do. The API has no operation for this, so the function looks for an API key's id in
 * the list of keys, and tries to read settings and notifications.
 */
export const readKeyDetails = async (flowpost: Flowpost, apiKey: string, signal: AbortSignal): Promise<KeyDetails> => {
  const facts = readKeyFacts(apiKey)
  let listed: ApiKey | null = null
  const canReadSettings = await isAllowed(
    (async () => {
      for await (const key of flowpost.apiKeys.list({ limit: 1000 }, { signal })) {
        if (key.id === facts.id) listed = key
        // If the credential has no id, the rest of the list is not read, because the list cannot identify the credential. The
        // first page has already shown that the credential may read settings.
        if (listed !== null || facts.id === null) return
      }
    })(),
  )
  const canReadNotifications = await isAllowed(flowpost.notifications.list({ limit: 1 }, { signal }))
  return { ...facts, listed, canReadSettings, canReadNotifications }
}
