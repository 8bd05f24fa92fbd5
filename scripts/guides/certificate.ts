import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A self-signed certificate with its key, in PEM format. */
export interface Certificate {
  readonly key: string
  readonly cert: string
  /** A file for `NODE_EXTRA_CA_CERTS`. It contains this certificate and those of the current `NODE_EXTRA_CA_CERTS`. */
  readonly trustFile: string
}

/** Creates a certificate for the host names. It is valid for two days. Needs openssl. */
export const createCertificate = (folder: string, hosts: readonly string[]): Certificate => {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const names = `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}`
  const type = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync(
    'openssl',
    ['req', '-x509', ...type, '-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=stand-in', '-addext', names],
    {
      stdio: 'pipe',
    },
  )
  const trusted = process.env['NODE_EXTRA_CA_CERTS']
  const trustFile = join(folder, 'trusted.pem')
  writeFileSync(trustFile, `${readFileSync(cert, 'utf8')}\n${trusted ? readFileSync(trusted, 'utf8') : ''}`)
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8'), trustFile }
}
