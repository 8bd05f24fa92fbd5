// Finds the Chromium that browser tests use. `vitest.config.ts` passes its path to the tests.
import { existsSync } from 'node:fs'

const defaultPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/**
 * Returns the path of Chromium: `CHROMIUM_PATH` if that file exists, otherwise a default path in `/usr/bin`. Returns
 * `undefined` if none of these files exists, or if `CHROMIUM_PATH` is empty. The browser tests are then skipped.
 */
export const findChromium = (): string | undefined => {
  const configured = process.env['CHROMIUM_PATH']
  if (configured === '') return undefined
  return [configured, ...defaultPaths].find((path) => path !== undefined && existsSync(path))
}
