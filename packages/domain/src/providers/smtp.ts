import { z } from 'zod'
import { smtpChannel } from '../channels/smtp.ts'
import type { ProviderDescription } from './description.ts'
import { hostOrAddress, isLoopbackHost } from './fields.ts'
import { mailboxField } from './mailbox.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: these end an SMTP command.
const printable = /^[^\u0000-\u001f\u007f]+$/

/** Settings of the deployment itself, which may do without TLS anywhere. */
export const smtpDeploymentSettings = z.strictObject({
  /** A host name or an IP address, without a port. */
  host: hostOrAddress,
  /** Default 587, or 465 with `tls`. */
  port: z.number().int().min(1).max(65_535).optional(),
  /** `starttls`: an upgrade to TLS is required. `tls`: TLS from the first byte. `none`: TLS only if it is offered, unverified. */
  security: z.enum(['starttls', 'tls', 'none']).default('starttls'),
  /** The account to log in to; left out for a server that asks for none. */
  user: z.string().min(1).max(320).regex(printable, 'Control characters are not allowed.').optional(),
  /** The sender: an address, or `Name <address>`. */
  from: mailboxField,
  reply_to: mailboxField.optional(),
})

type SmtpSettings = z.output<typeof smtpDeploymentSettings>

function leavesEncrypted({ security, host }: SmtpSettings): boolean {
  return security !== 'none' || isLoopbackHost(host)
}

/** Email over SMTP, with the settings that a tenant may give: a connection that leaves the machine is encrypted. */
export const smtpDescription = {
  ...smtpChannel,
  settings: smtpDeploymentSettings.refine(leavesEncrypted, {
    path: ['security'],
    message: 'TLS can be left out only for a server on the same machine.',
    // zod would keep this back while any other field is at fault.
    when: ({ value }) => hostOrAddress.safeParse((value as Partial<SmtpSettings> | null)?.host).success,
  }),
  secrets: z.strictObject({ password: z.string().min(1).max(4096).optional() }),
  secretDestination: { settings: ['host', 'port', 'security', 'user'] },
} as const satisfies ProviderDescription
