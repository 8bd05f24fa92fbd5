import manifest from '../../../packages/server/package.json' with { type: 'json' }

/** The version of this server: that of the published package, because releases change only the versions of published packages. */
export const version: string = manifest.version
