// Creates environment variables as on a new machine, where the home folder is empty.
import { delimiter, dirname } from 'node:path'

/** Matches variables that describe the machine: language, time zone, temporary folder, proxies and certificates. */
const machineVariable = /^(?:LANG|LC_\w+|TZ|TMPDIR|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:DIR|FILE)|CURL_CA_BUNDLE)$/i

/**
 * Returns an environment with the given Node and home folder. From the current environment, it takes only `PATH` and the
 * variables that match {@link machineVariable}.
 */
export const createEmptyHomeEnvironment = (node: string, home: string): Record<string, string> => {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && machineVariable.test(name) ? [[name, value] as const] : [],
  )
  // Removes the `node_modules` folders that pnpm adds to the `PATH` of the scripts that it runs.
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((place) => !place.includes('node_modules'))
  return { ...Object.fromEntries(inherited), PATH: [dirname(node), ...path].join(delimiter), HOME: home, NO_COLOR: '1' }
}
