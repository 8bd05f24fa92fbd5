import { defineConfig, type Plugin } from 'vitest/config'
import { findChromium } from './scripts/chromium.ts'

// Tests that drive a browser look here alone, and skip where it is empty.
process.env['CHROMIUM_PATH'] = findChromium() ?? ''

const setupFiles = ['scripts/refuse-outside-connections.ts']

const projects = [
  {
    test: {
      name: 'packages',
      setupFiles,
      include: ['packages/*/{src,test}/**/*.test.ts', 'examples/*/*.test.ts'],
      // Some compile or install what they test, which takes seconds on a busy machine.
      testTimeout: 60_000,
    },
  },
  {
    test: {
      name: 'bench',
      include: ['bench/src/**/*.test.ts'],
      // Some start processes.
      testTimeout: 60_000,
    },
  },
  {
    test: {
      name: 'api',
      setupFiles,
      include: ['apps/api/{src,test}/**/*.test.ts'],
      globalSetup: ['apps/api/test/global-setup.ts'],
      // The embedded database is a WebAssembly build: on a small machine, opening one takes seconds.
      testTimeout: 120_000,
      hookTimeout: 180_000,
    },
  },
]

// Minutes of load and kills: `pnpm test:soak`.
const soak = {
  test: {
    name: 'soak',
    include: ['{packages,apps}/*/{src,test}/**/*.soak.ts'],
    globalSetup: ['apps/api/test/global-setup.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 180_000,
    fileParallelism: false,
  },
}

// When a setup waits for something that nothing keeps alive, Node runs out of work and exits with 0, which would read as a pass.
let watched = false
const failUnlessClosed: Plugin = {
  name: 'fail-unless-closed',
  configureVitest: ({ vitest }) => {
    if (watched) return
    watched = true
    const fail = () => {
      process.exitCode = 1
      process.stderr.write('The run ended before its tests did: a setup waits for something that will not come.\n')
    }
    process.once('exit', fail)
    vitest.onClose(() => void process.off('exit', fail))
  },
}

export default defineConfig({
  plugins: [failUnlessClosed],
  test: {
    projects: process.env['FLOWPOST_SOAK'] === '1' ? [...projects, soak] : projects,
    // Most of a test of the API is waiting, for a database or a clock, so two cores carry more than the usual one worker.
    maxWorkers: 3,
    // A test that forgets to restore what it replaced must not change the outcome of the next one.
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
})
