import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Io } from '../io.ts'

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', '""'],
}

/** Opens a URL in the user's browser. Returns whether a program that opens URLs was started. */
export const openBrowser = async (url: string, { platform, env }: Pick<Io, 'platform' | 'env'>): Promise<boolean> => {
  const [command, ...args] = openers[platform] ?? ['xdg-open']
  const child = spawn(command, [...args, url], { env: { ...env }, stdio: 'ignore', detached: platform !== 'win32' })
  child.unref()
  return once(child, 'spawn').then(
    () => true,
    () => false,
  )
}
