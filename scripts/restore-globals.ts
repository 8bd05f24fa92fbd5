import { afterAll, vi } from 'vitest'

/*
 * Test files that run without isolation share environment variables, globals and the clock. Vitest restores them only before the
 * next test, so a `beforeAll` of the next file would still see the changes of this file's last test.
 */
afterAll(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
})
