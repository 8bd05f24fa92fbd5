import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, getCACertificates } from 'node:tls'
import { Client } from 'pg'

/** The settings with which PostgreSQL's client programs, such as `pg_dump`, connect to the database. */
export interface LibpqConnection {
  readonly url: string
  /**
   * Additional environment variables. The password is passed here and not as an argument, because other users of the
   * machine can read a process's arguments.
   */
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
 * Converts the driver's TLS options to an `sslmode` with which libpq checks certificates as strictly as the driver
 * does. Returns `undefined` if the driver does not use TLS. The `sslmode` in the URL would be less strict: in libpq,
 * `require` accepts every certificate, and `prefer` also connects without TLS.
 */
const tlsModeFor = (ssl: boolean | ConnectionOptions): string | undefined => {
  if (ssl === false) return undefined
  if (ssl === true) return 'verify-full'
  if (ssl.rejectUnauthorized === false) return 'require'
  return ssl.checkServerIdentity === undefined ? 'verify-full' : 'verify-ca'
}

/**
 * Converts a `DATABASE_URL` for libpq. With the result, libpq checks the server's certificate as strictly as the driver does.
 * @returns the settings, and whether libpq needs a file with the CA certificates that Node.js trusts.
 */
export const toLibpq = (databaseUrl: string): LibpqConnection & { readonly needsCaFile: boolean } => {
  // Uses `Client` to read the TLS options and the password from the URL and the environment, because the server's connections
  // use `Client` too. The value of `ssl` may be an object, although its type is `boolean`.
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

/**
 * Calls `work` with the connection settings for PostgreSQL's client programs. The programs trust the CA certificates
 * that Node.js trusts, unless the URL names others (`sslrootcert`).
 */
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
