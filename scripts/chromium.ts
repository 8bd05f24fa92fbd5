// Where the tests that drive a browser find one; vitest.config.ts tells them.
import { existsSync } from 'node:fs'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The Chromium of this machine: that of `CHROMIUM_PATH`, else one in `/usr/bin`, if there is any. */
export const findChromium = (): string | undefined =>
  [process.env['CHROMIUM_PATH'], ...places].find((path) => path !== undefined && existsSync(path))
