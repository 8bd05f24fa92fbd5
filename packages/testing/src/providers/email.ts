import { mailgunChannel, smtpChannel } from '@flowpost/domain'
import { z } from 'zod'
import type { MockProvider } from '../state/providers.ts'
import { headerSecret, hostName, hostOrAddress, isLoopback, mailbox } from './fields.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: these end an SMTP command.
const printable = /^[^\u0000-\u001f\u007f]+$/

/** Email over SMTP. */
export const smtp: MockProvider = {
  ...smtpChannel,
  settings: z
    .strictObject({
      host: hostOrAddress,
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

/** Email through Mailgun. */
export const mailgun: MockProvider = {
  ...mailgunChannel,
  settings: z.strictObject({
    domain: hostName,
    region: z.enum(['us', 'eu']).default('us'),
    from: mailbox,
    reply_to: mailbox.optional(),
    test_mode: z.boolean().default(false),
  }),
  secrets: z.strictObject({ api_key: headerSecret }),
}
