import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The root folder of the repository, with a trailing slash. */
export const repositoryRoot = fileURLToPath(new URL('../../', import.meta.url))

/** The address of the repository on the web. */
export const repositoryUrl = 'https://github.com/flowpost/flowpost'

/**
 * The address of the published site. Files in the repository use this address in links to generated pages, so that the
 * links also work on GitHub.
 */
export const siteUrl = 'https://flowpost.github.io/flowpost'

/** Returns the text of the file at a path in the repository. */
export const readRepositoryFile = (path: string): string => readFileSync(`${repositoryRoot}${path}`, 'utf8')

/** Returns whether a path exists in the repository. */
export const existsInRepository = (path: string): boolean => existsSync(`${repositoryRoot}${path}`)
