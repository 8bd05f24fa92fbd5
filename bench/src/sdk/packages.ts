/** An SDK that is compared with bare `fetch`. Its file in `callers/` defines the measured call, a `POST` request. */
export interface Sdk {
  /** The name of the SDK in the report. The file in `callers/` has the same name. */
  readonly name: string
  /** The package to install. `undefined` for `fetch`. */
  readonly package?: string
  /** The exact version. `undefined` for `fetch`, and for the client of this repository, which is packed from `dist`. */
  readonly version?: string
  readonly transport: 'fetch' | 'node:http'
}

/** The baseline: `fetch` without an SDK. */
export const bareFetch: Sdk = { name: 'fetch', transport: 'fetch' }

/** The client of this repository. */
export const flowpost: Sdk = { name: 'flowpost', package: '@flowpost/client', transport: 'fetch' }

/** Widely used SDKs, installed on demand and never as dependencies of the workspace. */
export const peerSdks: readonly Sdk[] = [
  { name: 'openai', package: 'openai', version: '7.57.0', transport: 'fetch' },
  { name: 'stripe', package: 'stripe', version: '23.1.0', transport: 'node:http' },
  { name: 'stripe-fetch', package: 'stripe', version: '23.1.0', transport: 'fetch' },
  { name: 'resend', package: 'resend', version: '6.38.0', transport: 'fetch' },
  { name: 'svix', package: 'svix', version: '2.5.0', transport: 'fetch' },
  { name: 'knock', package: '@knocklabs/node', version: '1.35.0', transport: 'fetch' },
  { name: 'octokit', package: '@octokit/core', version: '7.0.8', transport: 'fetch' },
]
