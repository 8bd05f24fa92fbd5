// Finds the Chromium that browser tests use. `vitest.config.ts` passes its path to the tests.
import { existsSync } from 'node:fs'

const defaultPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/**
 * Returns `CHROMIUM_PATH` if that file exists, otherwise the path of a Chromium in `/usr/bin`, or `undefined` if there is none.
 * An empty `CHROMIUM_PATH` means none, which skips the browser tests.
 */
export const findChromium = (): string | undefined => {
  const configured = process.env['CHROMIUM_PATH']
  if (configured === '') return undefined
  return [configured, ...defaultPaths].find((path) => path !== undefined && existsSync(path))
}
