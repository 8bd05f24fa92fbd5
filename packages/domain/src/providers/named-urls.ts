import { z } from 'zod'
import type { TargetResult } from '../channels/channel.ts'

const namePattern = /^[a-z][a-z0-9_-]{0,62}$/
const mostNames = 100

/**
 * Reads a target that is the name of a stored URL. A URL that carries its own credential is kept among the secrets
 * and called by name, so that neither a flow nor an override shows one or brings one in.
 */
export const parseNameTarget = (address: string): TargetResult => {
  if (namePattern.test(address)) return { ok: true, target: address, key: address }
  const complaint = /^https?:/i.test(address)
    ? 'A URL is a secret: store it in the integration under a name, and give that name.'
    : 'This is not a name.'
  return {
    ok: false,
    message: `${complaint} A name has lower-case letters, digits, "-" and "_", and starts with a letter, as in ops-alerts.`,
  }
}

/** A field for URLs by name, up to 100. */
export const namedUrlsField = (isAllowed: (url: URL) => boolean, message: string) => {
  const url = z
    .string()
    .max(2048)
    .refine((text) => URL.canParse(text) && isPlain(new URL(text)) && isAllowed(new URL(text)), message)
  return z
    .record(z.string().regex(namePattern, 'A name has lower-case letters, digits, "-" and "_", and starts with a letter.'), url)
    .refine((urls) => Object.keys(urls).length <= mostNames, `At most ${mostNames} URLs.`)
}

const isPlain = (url: URL): boolean =>
  (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.password === '' && url.hash === ''
