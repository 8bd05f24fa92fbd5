// The environment of a person who has just got a machine.
import { delimiter, dirname } from 'node:path'

/** The variables that concern the machine: its language, its proxies and its certificates. */
const machineVariable = /^(?:LANG|LC_\w+|TZ|TMPDIR|https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:DIR|FILE)|CURL_CA_BUNDLE)$/i

/** Returns the environment of a person whose `node` is the given one. It contains nothing that this process has set. */
export const createEmptyHomeEnvironment = (node: string, home: string): Record<string, string> => {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && machineVariable.test(name) ? [[name, value] as const] : [],
  )
  // pnpm adds folders for the scripts that it runs.
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((place) => !place.includes('node_modules'))
  return { ...Object.fromEntries(inherited), PATH: [dirname(node), ...path].join(delimiter), HOME: home, NO_COLOR: '1' }
}
