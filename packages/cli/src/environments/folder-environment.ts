import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Environment } from './environments-file.ts'
import { isLoopback } from './loopback.ts'
import { isServerUrl } from './server-url.ts'

/** The folder in which `flowpost dev` stores its state, relative to the working folder. */
export const devFolderName = '.flowpost'

/** Returns the path of the file that stores the URL and key of a folder's `flowpost dev` server. */
export const devEnvironmentPath = (workingFolder: string): string => join(workingFolder, devFolderName, 'dev.env')

/**
 * Reads the URL and key of a folder's `flowpost dev` server. Returns `undefined` if there are none. Ignores a server on
 * another machine, so that a folder from somebody else cannot make `flowpost apply` send secrets there.
 */
export const readFolderEnvironment = async (workingFolder: string): Promise<Environment | undefined> => {
  let text: string
  try {
    text = await readFile(devEnvironmentPath(workingFolder), 'utf8')
  } catch {
    return undefined
  }
  const { FLOWPOST_BASE_URL: baseUrl, FLOWPOST_API_KEY: apiKey } = parseEnv(text)
  if (!baseUrl || !apiKey || !isServerUrl(baseUrl)) return undefined
  return isLoopback(new URL(baseUrl).hostname) ? { baseUrl, apiKey } : undefined
}

/** Formats a server's URL and key as a file for `node --env-file`. */
export const formatDevEnvironment = ({ baseUrl, apiKey }: Environment): string =>
  `# Written by flowpost dev. Use it with: node --env-file=${devFolderName}/dev.env app.js\nFLOWPOST_BASE_URL=${baseUrl}\nFLOWPOST_API_KEY=${apiKey}\n`
