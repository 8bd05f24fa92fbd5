import { parseEmailAddress } from '@flowpost/domain'
import { z } from 'zod'

const hostPattern = /^(?=.{1,253}$)(?!-)[a-z0-9-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i
const ipv6Pattern = /^(?=.*:)[0-9a-f:.]{2,45}$/i
const mailboxPattern = /^(?:"?[^<>"]{0,255}"?\s*<(?<bracketed>[^<>]+)>|(?<plain>[^<>]+))$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: a control character in a header is an injection.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

const isMailbox = (text: string): boolean => {
  const { bracketed, plain } = (unsafe.test(text) ? null : mailboxPattern.exec(text.trim()))?.groups ?? {}
  const address = (bracketed ?? plain ?? '').trim()
  return /^[^@]+@localhost$/.test(address) || parseEmailAddress(address).ok
}

/** True for a name or address that never leaves the machine. */
export const isLoopback = (host: string): boolean => /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1)\.?$/i.test(host)

/** A field for `name@example.com` or `Name <name@example.com>`. */
export const mailbox = z
  .string()
  .max(600)
  .refine(isMailbox, 'Give an email address, or a name and an address as in: Flowpost <no-reply@example.com>')

/** A field for a host name in ASCII. */
export const hostName = z.string().regex(hostPattern, 'Give a host name, as in mail.example.com.')

/** A field for a host name or an IP address. */
export const hostOrAddress = z
  .string()
  .refine((text) => hostPattern.test(text) || ipv6Pattern.test(text), 'Give a host name or an IP address.')

/** A field for a secret that travels in an HTTP header. */
export const headerSecret = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[\u0021-\u007e]+$/, 'Only visible ASCII characters, without blanks.')
