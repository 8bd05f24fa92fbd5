import type { CheckResult, Provider } from '@flowpost/delivery'

/** Fields that say where to connect, as `host` or `webhook_url`. */
const addressField = /(?:^|_)(?:host|url|endpoint)$/

/** Codes of refusals that are made before anything is connected: their details are words of our own, and say what to change. */
const ownCodes = new Set([
  'address_not_allowed',
  'port_not_allowed',
  'https_required',
  'password_missing',
  'settings_invalid',
  'secrets_invalid',
  'name_unknown',
])

const wordsByCode: Readonly<Record<string, string>> = {
  connection_refused: 'The connection was refused.',
  connection_lost: 'The connection was lost.',
  host_not_found: 'The host was not found.',
  host_unreachable: 'The host cannot be reached.',
  timed_out: 'There was no answer in time.',
  tls_failed: 'The connection could not be encrypted.',
  protocol_error: 'What answered does not speak the protocol.',
  authentication_failed: 'The credential was not accepted.',
  authentication_not_offered: 'The server offers no login that can be used.',
}

const wordsFor = ({ name, code }: CheckResult): string =>
  wordsByCode[code] ??
  `${name === 'authenticate' ? 'The server did not accept the credential.' : 'The server did not agree.'} Its code was ${code}.`

/**
 * The findings as a tenant may see them. Where the credential of a project says what to connect to, that may be
 * anything, and a check must not read out to them what it said: then a failure is told by its code and words of our own.
 */
export const withoutBanners = (
  provider: Pick<Provider, 'settings' | 'secrets'>,
  trusted: boolean,
  findings: readonly CheckResult[],
): readonly CheckResult[] => {
  const fields = [...Object.keys(provider.settings.shape), ...Object.keys(provider.secrets.shape)]
  if (trusted || !fields.some((name) => addressField.test(name))) return findings
  return findings.map((finding) => (finding.ok || ownCodes.has(finding.code) ? finding : { ...finding, detail: wordsFor(finding) }))
}
