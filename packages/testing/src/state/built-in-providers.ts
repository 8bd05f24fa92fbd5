import { mailgunChannel, parseEmailAddress, slackChannel, smtpChannel } from '@flowpost/domain'
import { z } from 'zod'
import type { MockProvider } from './providers.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: these end an SMTP command.
const printable = /^[^\u0000-\u001f\u007f]+$/
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

const isLoopback = (host: string): boolean => /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1)\.?$/i.test(host)

const mailbox = z
  .string()
  .max(600)
  .refine(isMailbox, 'Give an email address, or a name and an address as in: Flowpost <no-reply@example.com>')
const host = z.string().refine((text) => hostPattern.test(text) || ipv6Pattern.test(text), 'Give a host name or an IP address.')
const headerSecret = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[\u0021-\u007e]+$/, 'Only visible ASCII characters, without blanks.')

const smtp = {
  ...smtpChannel,
  settings: z
    .strictObject({
      host,
      port: z.number().int().min(1).max(65_535).optional(),
      security: z.enum(['starttls', 'tls', 'none']).default('starttls'),
      user: z.string().min(1).max(320).regex(printable, 'Control characters are not allowed.').optional(),
      from: mailbox,
      reply_to: mailbox.optional(),
    })
    .refine((settings) => settings.security !== 'none' || isLoopback(settings.host), {
      path: ['security'],
      message: 'TLS can be left out only for a server on the same machine.',
    }),
  secrets: z.strictObject({ password: z.string().min(1).max(4096).optional() }),
}

const mailgun = {
  ...mailgunChannel,
  settings: z.strictObject({
    domain: z.string().regex(hostPattern, 'Give a host name, as in mail.example.com.'),
    region: z.enum(['us', 'eu']).default('us'),
    from: mailbox,
    reply_to: mailbox.optional(),
    test_mode: z.boolean().default(false),
  }),
  secrets: z.strictObject({ api_key: headerSecret }),
}

const slack = { ...slackChannel, settings: z.strictObject({}), secrets: z.strictObject({ token: headerSecret }) }

/** The providers that Flowpost brings, with the fields of their credentials. */
export const builtInProviders: readonly MockProvider[] = [mailgun, smtp, slack]
