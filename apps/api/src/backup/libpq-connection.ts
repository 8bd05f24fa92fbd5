import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import { Client } from 'pg'

/** How PostgreSQL's client programs connect to the database. */
export interface LibpqConnection {
  readonly url: string
  /** Additional environment variables. The password is here, because other users can read the arguments of a process. */
  readonly env: Readonly<Record<string, string>>
}

// The parameters of `DATABASE_URL` to pass to libpq, which rejects unknown parameters. The list omits the parameters
// that the driver ignores (`dbname`, `hostaddr`, `passfile`, `service` and `sslpassword`), one that Flowpost ignores
// (`application_name`), and `password`, which is passed in the environment.
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
// cspell:ignore gssencmode hostaddr krbsrvname passfile requirepeer sslcert sslcertmode sslcrl sslcrldir sslkey sslnegotiation
// cspell:ignore sslpassword sslsni PGSSLROOTCERT
const libpqParameters = [
  'host',
  'port',
  'user',
  'client_encoding',
  'options',
  'connect_timeout',
  'target_session_attrs',
  'keepalives',
  'keepalives_idle',
  'keepalives_interval',
  'keepalives_count',
  'tcp_user_timeout',
  'sslmode',
  'sslnegotiation',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslcertmode',
  'sslcrl',
  'sslcrldir',
  'sslsni',
  'ssl_min_protocol_version',
  'ssl_max_protocol_version',
  'channel_binding',
  'require_auth',
  'requirepeer',
  'gssencmode',
  'krbsrvname',
]

/**
 * Returns the `sslmode` with which libpq makes the same checks as the driver with these TLS options; `undefined` if the driver
 * does not use TLS. The `sslmode` in the URL cannot be used, because libpq checks less than the driver: its `require` accepts
 * every certificate, and its `prefer` also connects without TLS.
 */
const tlsModeFor = (ssl: boolean | ConnectionOptions): string | undefined => {
  if (ssl === false) return undefined
  if (ssl === true) return 'verify-full'
  if (ssl.rejectUnauthorized === false) return 'require'
  return ssl.checkServerIdentity === undefined ? 'verify-full' : 'verify-ca'
}

/**
 * Converts a `DATABASE_URL` for libpq. The connection checks the server's certificate as the driver does.
 * @returns the connection, and whether it needs a file with the CA certificates that Node.js trusts.
 */
export const toLibpq = (databaseUrl: string): LibpqConnection & { readonly needsCaFile: boolean } => {
  // Reads the URL and the environment as every connection of the server does. `ssl` may be an object, despite its type.
  const { ssl, password } = new Client(databaseUrl)
  const url = new URL(databaseUrl)
  const given: Readonly<Record<string, string>> = Object.fromEntries(url.searchParams)
  const sslmode = tlsModeFor(ssl) ?? given['sslmode'] ?? ''
  const verifies = sslmode.startsWith('verify-')
  const parameters: typeof given = { ...given, sslmode, sslrootcert: (verifies && given['sslrootcert']) || '' }
  url.password = ''
  // `searchParams` would encode a space as "+", which libpq does not decode.
  url.search = libpqParameters
    .filter((name) => (parameters[name] ?? '') !== '')
    .map((name) => `${name}=${encodeURIComponent(parameters[name] ?? '')}`)
    .join('&')
  return {
    url: url.toString(),
    env: password ? { PGPASSWORD: password } : {},
    needsCaFile: verifies && parameters['sslrootcert'] === '',
  }
}

/** Runs `work` with a connection for PostgreSQL's client programs. It trusts the CA certificates that Node.js trusts. */
export const withLibpq = async (databaseUrl: string, work: (connection: LibpqConnection) => Promise<unknown>): Promise<void> => {
  const { url, env, needsCaFile } = toLibpq(databaseUrl)
  if (!needsCaFile) {
    await work({ url, env })
    return
  }
  const folder = await mkdtemp(join(tmpdir(), 'flowpost-ca-'))
  try {
    const file = join(folder, 'ca.pem')
    await writeFile(file, getCACertificates('default').join('\n'))
    await work({ url, env: { ...env, PGSSLROOTCERT: file } })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
