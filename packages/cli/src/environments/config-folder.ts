import { posix, win32 } from 'node:path'
import type { Io } from '../io.ts'

/**
 * Returns the folder for the program's settings: `flowpost` in `XDG_CONFIG_HOME` if that is set, otherwise in the
 * platform's usual folder.
 */
export const configFolder = ({ env, platform, homeFolder }: Pick<Io, 'env' | 'platform' | 'homeFolder'>): string => {
  const { join, isAbsolute } = platform === 'win32' ? win32 : posix
  const xdg = env['XDG_CONFIG_HOME']
  // The XDG specification says to ignore a relative path.
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'flowpost')
  if (platform === 'win32') return join(env['APPDATA'] || join(homeFolder, 'AppData', 'Roaming'), 'flowpost')
  if (platform === 'darwin') return join(homeFolder, 'Library', 'Application Support', 'flowpost')
  return join(homeFolder, '.config', 'flowpost')
}
