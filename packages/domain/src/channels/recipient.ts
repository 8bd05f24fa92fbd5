import type { Channels } from './channel-issues.ts'
import { toAsciiDomain, toLowerCase, toUnicodeDomain } from './domain-name.ts'

/** The result of parsing a recipient. */
export type RecipientResult =
  | {
      readonly ok: true
      /**
       * The provider named before the address, as in `smtp:a@example.com`; `undefined` if the text names none, which
       * means every provider that accepts the address.
       */
      readonly sourceType: string | undefined
      /** The canonical form of the address. */
      readonly target: string
      /** The key that identifies the recipient; see {@link recipientKey}. */
      readonly key: string
    }
  | { readonly ok: false; readonly message: string }

/** Splits an email address after its last `@`. The first part is empty if there is none. */
const splitAddress = (address: string): [local: string, domain: string] => {
  const start = address.lastIndexOf('@') + 1
  return [address.slice(0, start), address.slice(start)]
}

/**
 * Returns the key that identifies a recipient in suppressions and erasures. The key of an email address is in lower
 * case, because practically every mail server ignores case, and its domain is in ASCII. The key of any other target is its
 * canonical form. Keys do not contain the provider.
 */
export const recipientKey = (channels: Channels, sourceType: string, target: string): string => {
  const channel = channels.get(sourceType)
  const parsed = channel?.parseTarget(target)
  const key = parsed?.ok ? parsed.key : target
  // If the provider is no longer registered, `channel` is undefined. A target that contains "@" then counts as an email address.
  if (channel?.kind !== 'email' && (channel || !target.includes('@'))) return key
  const [local, domain] = splitAddress(key)
  return toLowerCase(local) + toAsciiDomain(domain)
}

/**
 * Returns the spellings of a key: the key itself, first, and that of an email address with an internationalized domain with the
 * domain in ASCII and in Unicode. Earlier releases stored keys with domains in Unicode.
 */
export const keySpellings = (key: string): readonly string[] => {
  const [local, domain] = splitAddress(key)
  if (local === '') return [key]
  const [ascii, unicode] = [toAsciiDomain(domain), toUnicodeDomain(domain)]
  // The key of another target can contain "@" too, as in `@Team`, and its case can matter.
  return ascii === unicode ? [key] : [...new Set([key, local + ascii, local + unicode])]
}

const listNames = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(', ')

/**
 * Parses a recipient: `[<source_type>:]<address>`. The text before the first `:` is a source type only if a provider
 * with that id is registered.
 */
export const parseRecipient = (channels: Channels, text: string): RecipientResult => {
  const trimmed = text.trim()
  const head = trimmed.slice(0, Math.max(0, trimmed.indexOf(':')))
  const named = head !== '' && channels.get(head) ? head : undefined
  const address = named === undefined ? trimmed : trimmed.slice(head.length + 1)
  const accepted: { id: string; target: string; key: string }[] = []
  let message = ''
  for (const id of named === undefined ? channels.ids : [named]) {
    const result = channels.get(id)?.parseTarget(address)
    if (result?.ok) accepted.push({ id, target: result.target, key: recipientKey(channels, id, address) })
    else if (result && named !== undefined) message = result.message
  }
  const [first, ...others] = accepted
  if (!first) {
    return {
      ok: false,
      message: named === undefined ? `No provider accepts this address. The providers are ${listNames(channels.ids)}.` : message,
    }
  }
  if (others.some(({ key }) => key !== first.key)) {
    const ids = accepted.map(({ id }) => id)
    return {
      ok: false,
      message: `The address can mean different recipients, depending on the provider (${listNames(ids)}). Put the provider first, as in "${first.id}:…".`,
    }
  }
  return { ok: true, sourceType: named, target: first.target, key: first.key }
}
