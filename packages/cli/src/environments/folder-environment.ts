import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Environment } from './environments-file.ts'
import { isLoopback } from './loopback.ts'

/** The folder, in the folder of a project, with the state of `flowpost dev`. */
export const devFolderName = '.flowpost'

/** Returns the path of the file with the variables of the server that `flowpost dev` starts in a folder. */
export const devEnvironmentPath = (workingFolder: string): string => join(workingFolder, devFolderName, 'dev.env')

/**
 * Reads the server and key of `flowpost dev` in a folder. Returns `undefined` if there are none. A server on another machine is
 * ignored: a folder that somebody else wrote must not receive the secrets of a config file.
 */
export const readFolderEnvironment = async (workingFolder: string): Promise<Environment | undefined> => {
  let text: string
  try {
    text = await readFile(devEnvironmentPath(workingFolder), 'utf8')
  } catch {
    return undefined
  }
  const { FLOWPOST_BASE_URL: baseUrl, FLOWPOST_API_KEY: apiKey } = parseEnv(text)
  if (!baseUrl || !apiKey || !URL.canParse(baseUrl)) return undefined
  const { hostname, username } = new URL(baseUrl)
  return isLoopback(hostname) && username === '' ? { baseUrl, apiKey } : undefined
}

/** Formats the file with the variables of a server, as `node --env-file` reads it. */
export const formatDevEnvironment = ({ baseUrl, apiKey }: Environment): string =>
  `# Written by flowpost dev. Use it with: node --env-file=${devFolderName}/dev.env app.js\nFLOWPOST_BASE_URL=${baseUrl}\nFLOWPOST_API_KEY=${apiKey}\n`
