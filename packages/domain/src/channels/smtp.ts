import { z } from 'zod'
import type { ProviderDescription } from './channel.ts'
import { parseEmailAddress } from './email-address.ts'
import { hostOrAddress, isLoopbackHost } from './fields.ts'
import { mailboxField } from './mailbox.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters end an SMTP command.
const printable = /^[^\u0000-\u001f\u007f]+$/

/** The SMTP settings of a deployment. Unlike those of an integration, they allow unencrypted connections to any server. */
export const smtpDeploymentSettings = z.strictObject({
  /** A host name or an IP address, without a port. */
  host: hostOrAddress,
  /** The port. Default: 587, or 465 with `tls`. */
  port: z.number().int().min(1).max(65_535).optional(),
  /** `starttls` requires an upgrade to TLS. `tls` uses TLS from the start. `none` uses TLS only if offered, without verification. */
  security: z.enum(['starttls', 'tls', 'none']).default('starttls'),
  /** The account to log in to. Omit it for a server without authentication. */
  user: z.string().min(1).max(320).regex(printable, 'Must not contain control characters.').optional(),
  /** The sender: an address, or `Name <address>`. */
  from: mailboxField,
  reply_to: mailboxField.optional(),
})

type SmtpSettings = z.output<typeof smtpDeploymentSettings>

function isEncryptedOrLocal({ security, host }: SmtpSettings): boolean {
  return security !== 'none' || isLoopbackHost(host)
}

/**
 * Email over SMTP, with the settings of an integration: a connection to another machine must be encrypted.
 *
 * Each server has its own size limit (RFC 1870). The default of Postfix is 10,240,000 bytes (`message_size_limit`), and
 * others are similar. Base64 adds 37%, which leaves 7 MB of text and HTML with room for the header.
 */
export const smtpDescription = {
  id: 'smtp',
  kind: 'email',
  parseTarget: parseEmailAddress,
  limits: { totalBytes: 7_000_000 },
  settings: smtpDeploymentSettings.refine(isEncryptedOrLocal, {
    path: ['security'],
    message: 'An unencrypted connection is allowed only to a server on the same machine.',
    // By default zod skips refinements while any field is invalid. This one only needs the host.
    when: ({ value }) => hostOrAddress.safeParse((value as Partial<SmtpSettings> | null)?.host).success,
  }),
  secrets: z.strictObject({ password: z.string().min(1).max(4096).optional() }),
  secretDestination: { settings: ['host', 'port', 'security', 'user'] },
} as const satisfies ProviderDescription
