import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { SettingsApplied } from '@flowpost/client'
import { CliError } from '../cli-error.ts'
import type { Output } from '../output/output.ts'
import { toSafeLine } from '../output/terminal-text.ts'

/** Returns the absolute path of the file for new signing secrets. @throws {CliError} When the file already exists. */
export const resolveSecretsFile = (file: string, workingFolder: string): string => {
  const path = resolve(workingFolder, file)
  if (existsSync(path))
    throw new CliError(`${toSafeLine(path)} exists.`, 'Choose a new path. The command creates the file only if there are new secrets.')
  return path
}

/**
 * Writes the signing secrets of created event endpoints to a file that only the user can read. If no path is given or
 * the file cannot be written, prints the secrets instead, because the server returns them only once. Returns the
 * changes for JSON output. These contain the secrets only if no file was written.
 */
export const handOverSecrets = async (
  { print, warn }: Pick<Output, 'print' | 'warn'>,
  changes: SettingsApplied['changes'],
  path: string | undefined,
): Promise<SettingsApplied['changes']> => {
  for (const { action, kind, key, secret } of changes)
    if (action === 'create' && kind === 'event_endpoint' && secret === undefined)
      warn(`The response with the signing secret of the event endpoint ${toSafeLine(key)} was lost. Rotate the secret.`)
  const created = changes.flatMap(({ key, secret }) => (secret === undefined ? [] : [{ key, secret }]))
  if (created.length === 0) return changes
  const printAll = () => {
    for (const { key, secret } of created)
      print(`Signing secret of the event endpoint ${toSafeLine(key)}, shown only once: ${toSafeLine(secret)}`)
  }
  if (path === undefined) {
    printAll()
    return changes
  }
  const content = `${JSON.stringify(Object.fromEntries(created.map(({ key, secret }) => [key, secret])), null, 2)}\n`
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    // The settings are already applied, and the server returns the secrets only once. So they are printed.
    warn(`${toSafeLine(path)} cannot be written: ${toSafeLine((error as Error).message)}`)
    printAll()
    return changes
  }
  print(`Wrote the signing secrets of created event endpoints to ${toSafeLine(path)}.`)
  return changes.map(({ secret: _, ...change }) => change)
}

/** Waits until printed signing secrets are written. If they could not be written, says which secrets must be rotated. */
export const warnIfSecretsLost = async ({ warnIfLost }: Output, changes: SettingsApplied['changes']): Promise<void> => {
  const keys = changes.filter(({ secret }) => secret !== undefined).map(({ key }) => toSafeLine(key))
  if (keys.length > 0)
    await warnIfLost(`These event endpoints were created, but their signing secrets may be lost. Rotate them: ${keys.join(', ')}`)
}
