import manifest from '../../../packages/server/package.json' with { type: 'json' }

/** The server's version: the version of `@flowpost/server`, the npm package in which the server is published. */
export const version: string = manifest.version
