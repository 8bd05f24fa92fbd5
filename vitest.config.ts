import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const apiSetup = 'apps/api/test/global-setup.ts'

const projects = [
  {
    test: {
      name: 'packages',
      include: ['packages/*/{src,test}/**/*.test.ts'],
    },
  },
  {
    test: {
      name: 'api',
      include: ['apps/api/{src,test}/**/*.test.ts'],
      globalSetup: existsSync(apiSetup) ? [apiSetup] : [],
      // The embedded database is a WebAssembly build: creating and migrating one takes seconds on a small machine.
      testTimeout: 30_000,
      hookTimeout: 60_000,
    },
  },
]

// Minutes of load and kills: `FLOWPOST_SOAK=1 pnpm vitest run --project soak`.
const soak = {
  test: { name: 'soak', include: ['{packages,apps}/*/{src,test}/**/*.soak.ts'], testTimeout: 30 * 60_000, fileParallelism: false },
}

export default defineConfig({
  test: {
    projects: process.env['FLOWPOST_SOAK'] === '1' ? [...projects, soak] : projects,
    // A test that forgets to restore a spy must not change the outcome of the next one.
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
})
