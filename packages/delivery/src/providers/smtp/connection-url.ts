import { isLoopbackHost, smtpDeploymentSettings, smtpDescription } from '@flowpost/domain'
import type { Credential } from '../../client/credential.ts'

/**
 * Parses an SMTP URL in nodemailer's format: `smtp://user:password@mail.example.com:587` (STARTTLS) or `smtps://…` (TLS
 * from the first byte). For `smtp:`, TLS is required by default unless the host is a loopback host. The parameter
 * `requireTLS` overrides this default.
 *
 * @param url The URL. Its user and password must be percent-encoded.
 * @param from The sender: an address, or `Name <address>`.
 * @param bounceAddress The address that receives bounces; see `bounce_address` in the README.
 * @returns The deployment's own credential, with `trusted: true`.
 * @throws TypeError when an argument is invalid. The error message does not contain the password.
 */
export function parseSmtpUrl(url: string, from: string, bounceAddress?: string): Credential {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || (parsed.protocol !== 'smtp:' && parsed.protocol !== 'smtps:')) {
    throw new TypeError(
      'The SMTP URL must have the form smtp://user:password@host:587 or smtps://…, with a percent-encoded user and password.',
    )
  }
  if ((parsed.pathname !== '' && parsed.pathname !== '/') || parsed.hash !== '') {
    throw new TypeError('The SMTP URL must not have a path or fragment. Percent-encode "/", "?" and "#" in the password.')
  }
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1')
  const isTlsRequired = requiresTls(parsed.searchParams, host)
  const user = decode(parsed.username)
  const password = decode(parsed.password)
  if ((user === '') !== (password === '')) throw new TypeError('The SMTP URL must have both user and password, or neither.')
  const settings = smtpDeploymentSettings.safeParse({
    host,
    ...(parsed.port === '' ? {} : { port: Number(parsed.port) }),
    security: parsed.protocol === 'smtps:' ? 'tls' : isTlsRequired ? 'starttls' : 'none',
    ...(user === '' ? {} : { user }),
    from,
    ...(bounceAddress === undefined ? {} : { bounce_address: bounceAddress }),
  })
  if (!settings.success) {
    const issues = settings.error.issues.map(({ path, message }) => `The ${nameOf(path[0])} is invalid. ${message}`)
    throw new TypeError(issues.join(' '))
  }
  const secrets = smtpDescription.secrets.safeParse(password === '' ? {} : { password })
  if (!secrets.success) throw new TypeError('The password of the SMTP URL is too long.')
  return { settings: settings.data, secrets: secrets.data, trusted: true }
}

function nameOf(setting: PropertyKey | undefined): string {
  if (setting === 'from') return 'sender'
  return setting === 'bounce_address' ? 'bounce address' : `${String(setting)} of the SMTP URL`
}

function requiresTls(parameters: URLSearchParams, host: string): boolean {
  for (const name of parameters.keys()) {
    // The error does not quote the parameter's name. If the password contains an unencoded "?", the name may contain a part
    // of the password.
    if (name !== 'requireTLS')
      throw new TypeError('The SMTP URL has an unknown parameter. Only requireTLS is supported. Percent-encode "?" in the password.')
  }
  const value = parameters.get('requireTLS') ?? String(!isLoopbackHost(host))
  if (value !== 'true' && value !== 'false') throw new TypeError('requireTLS in the SMTP URL must be true or false.')
  return value === 'true'
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new TypeError('The user and password in the SMTP URL must be percent-encoded; write "%" as "%25".')
  }
}
