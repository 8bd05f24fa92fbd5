import { isLoopbackHost, smtpDeploymentSettings, smtpDescription } from '@flowpost/domain'
import type { Credential } from '../../credential.ts'

/**
 * Reads nodemailer's connection URL, the usual form in an environment variable:
 * `smtp://user:password@mail.example.com:587` (STARTTLS) or `smtps://…` (TLS from the first byte).
 * TLS is required unless the host is loopback or the URL says `?requireTLS=false`.
 *
 * @param url User and password percent-encoded.
 * @param from The sender: an address, or `Name <address>`.
 * @throws TypeError saying what is wrong, without repeating the password.
 */
export function fromSmtpUrl(url: string, from: string): Credential {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || (parsed.protocol !== 'smtp:' && parsed.protocol !== 'smtps:')) {
    throw new TypeError('The SMTP URL must look like smtp://user:password@host:587 or smtps://…, with user and password percent-encoded.')
  }
  if ((parsed.pathname !== '' && parsed.pathname !== '/') || parsed.hash !== '') {
    throw new TypeError('The SMTP URL has something after the host; percent-encode "/", "?" and "#" in the password.')
  }
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1')
  const user = decode(parsed.username)
  const password = decode(parsed.password)
  if ((user === '') !== (password === '')) throw new TypeError('The SMTP URL needs both a user and a password, or neither.')
  const settings = smtpDeploymentSettings.safeParse({
    host,
    ...(parsed.port === '' ? {} : { port: Number(parsed.port) }),
    security: parsed.protocol === 'smtps:' ? 'tls' : requiresTls(parsed.searchParams, host) ? 'starttls' : 'none',
    ...(user === '' ? {} : { user }),
    from,
  })
  if (!settings.success) {
    const faults = settings.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new TypeError(`The SMTP URL or the sender is not usable. ${faults.join(' ')}`)
  }
  return { settings: settings.data, secrets: smtpDescription.secrets.parse(password === '' ? {} : { password }), trusted: true }
}

function requiresTls(parameters: URLSearchParams, host: string): boolean {
  for (const name of parameters.keys()) {
    if (name !== 'requireTLS') throw new TypeError(`The SMTP URL has an unknown parameter, ${name}; only requireTLS is read.`)
  }
  const value = parameters.get('requireTLS') ?? String(!isLoopbackHost(host))
  if (value !== 'true' && value !== 'false') throw new TypeError('requireTLS in the SMTP URL must be true or false.')
  return value === 'true'
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new TypeError('User and password in the SMTP URL must be percent-encoded; a "%" is written "%25".')
  }
}
