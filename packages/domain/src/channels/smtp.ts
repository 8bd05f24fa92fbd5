import { z } from 'zod'
import type { ProviderDescription } from './channel.ts'
import { parseEmailAddress } from './email-address.ts'
import { hostOrAddress, isLoopbackHost } from './fields.ts'
import { mailboxField } from './mailbox.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters end an SMTP command.
const printable = /^[^\u0000-\u001f\u007f]+$/

// For each message, a `+` and the delivery id (31 bytes in total) are added to the local part of the bounce address. The
// resulting local part may have at most 64 bytes (RFC 5321, section 4.5.3.1.1).
const maxLocalPartLength = 33
// The whole address, including the `+` and the delivery id, may have at most 254 bytes (RFC 3696, erratum 1690).
const maxBounceAddressLength = 254 - 31

const isBounceAddress = (text: string): boolean =>
  /^[\u0021-\u007e]+$/.test(text) && parseEmailAddress(text).ok && text.lastIndexOf('@') <= maxLocalPartLength && !text.startsWith('"')

/** The schema for the address that receives bounces. */
export const bounceAddress = z
  .string()
  .max(maxBounceAddressLength)
  .refine(isBounceAddress, 'Must be an ASCII email address without a name, with at most 33 characters before the @.')

/**
 * The schema for the deployment's own SMTP settings. Unlike the settings in a project's integration, they allow an
 * unencrypted connection to any server.
 */
export const smtpDeploymentSettings = z.strictObject({
  /** A host name or an IP address, without a port. */
  host: hostOrAddress,
  /** The port. Default: 465 when `security` is `tls`, otherwise 587. */
  port: z.number().int().min(1).max(65_535).optional(),
  /**
   * `starttls` requires an upgrade to TLS. `tls` uses TLS from the start. `none` uses TLS only if the server offers it, and
   * does not verify the certificate.
   */
  security: z.enum(['starttls', 'tls', 'none']).default('starttls'),
  /** The user name for authentication. Omit it for a server without authentication. */
  user: z.string().min(1).max(320).regex(printable, 'Must not contain control characters.').optional(),
  /** The sender: an address, or `Name <address>`. */
  from: mailboxField,
  reply_to: mailboxField.optional(),
  /**
   * The address that receives bounces. Unlike `from`, it must not have the form `Name <address>`. Each message gets its
   * own envelope sender: this address with a `+` and the delivery id before the `@`.
   */
  bounce_address: bounceAddress.optional(),
})

type SmtpSettings = z.output<typeof smtpDeploymentSettings>

function isEncryptedOrLocal({ security, host }: SmtpSettings): boolean {
  return security !== 'none' || isLoopbackHost(host)
}

/**
 * The description of the provider `smtp`. The settings of a project's integration allow an unencrypted connection only to
 * a server on the same machine.
 *
 * Each server sets its own size limit for messages (RFC 1870). Postfix defaults to 10,240,000 bytes (`message_size_limit`), and
 * other servers are similar. Base64 adds 37%, so 7 MB of text and HTML fit, with room for the header.
 */
export const smtpDescription = {
  id: 'smtp',
  kind: 'email',
  parseTarget: parseEmailAddress,
  limits: { totalBytes: 7_000_000 },
  reportType: 'message/rfc822',
  settings: smtpDeploymentSettings.refine(isEncryptedOrLocal, {
    path: ['security'],
    message: 'An unencrypted connection is allowed only to a server on the same machine.',
    // By default, zod skips refinements while any field is invalid. This refinement runs whenever the host is valid.
    when: ({ value }) => hostOrAddress.safeParse((value as Partial<SmtpSettings> | null)?.host).success,
  }),
  secrets: z.strictObject({ password: z.string().min(1).max(4096).optional() }),
  secretDestination: { settings: ['host', 'port', 'security', 'user'] },
} as const satisfies ProviderDescription
