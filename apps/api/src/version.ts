import manifest from '../../../packages/server/package.json' with { type: 'json' }

/** The server's version, read from the published package. A release does not change the versions of the other packages. */
export const version: string = manifest.version
