import { globSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vitest/config'
import { findChromium } from './scripts/chromium.ts'
import { SlowFirst } from './scripts/slow-first.ts'

// Browser tests use this path, and are skipped if it is empty.
process.env['CHROMIUM_PATH'] = findChromium() ?? ''

// Tests start hundreds of processes and threads. They share the code that V8 has compiled.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url))
enableCompileCache(process.env['NODE_COMPILE_CACHE'])

// `x.long.ts` contains slow tests. Some start many processes, some compile or install packages, and some are short forms of
// `x.soak.ts`. FLOWPOST_LONG_TESTS=1 runs all of them, and FLOWPOST_LONG_TESTS=2/4 the second quarter of them.
const [part = 0, parts = 1] = (process.env['FLOWPOST_LONG_TESTS'] ?? '').split('/').map(Number)
const longTests = globSync('{apps,packages,examples,bench,mutants,scripts,site}/**/*.long.ts', { exclude: ['**/node_modules'] })
  .toSorted()
  .filter((_, index) => index % parts === part - 1)

/** Selects the long tests below the folders that match a pattern. */
const longTestsIn = (folders: string) => longTests.filter((file) => matchesGlob(file, `${folders}/**`))

const setupFiles = ['scripts/block-outside-connections.ts', 'scripts/restore-globals.ts']

// The default of one second fails on a busy machine.
const poll = { timeout: 30_000 }

const msw = 'packages/testing/test/**/msw*.test.ts'

const projects = [
  {
    test: {
      name: 'packages',
      isolate: false,
      setupFiles,
      include: ['packages/*/{src,test}/**/*.test.ts', 'examples/*/*.test.ts', ...longTestsIn('packages/*')],
      exclude: ['packages/testing/**'],
      // Some tests compile or install packages, which takes seconds on a busy machine.
      testTimeout: 60_000,
      expect: { poll },
    },
  },
  {
    test: {
      name: 'testing',
      isolate: false,
      setupFiles,
      include: ['packages/testing/{src,test}/**/*.test.ts', ...longTestsIn('packages/testing')],
      exclude: [msw],
      // Some tests compile or install packages, which takes seconds on a busy machine.
      testTimeout: 60_000,
      expect: { poll },
    },
  },
  {
    test: {
      // Isolated: its tests use two major versions of MSW, which replace the global `fetch`.
      name: 'msw',
      setupFiles,
      include: [msw],
      testTimeout: 60_000,
    },
  },
  {
    test: {
      name: 'tools',
      isolate: false,
      include: ['{bench/src,mutants/src,scripts,site/src}/**/*.test.ts', ...longTestsIn('{bench,mutants,scripts,site}')],
      // Some tests start processes.
      testTimeout: 60_000,
    },
  },
  {
    test: {
      name: 'api',
      // With isolation, Vitest would load the server again for each test file, which would take a third of the run time. V8 would
      // also lose the compiled code of the embedded database after each file.
      isolate: false,
      setupFiles,
      include: ['apps/api/{src,test}/**/*.test.ts', ...longTestsIn('apps/api')],
      globalSetup: ['apps/api/test/support/global-setup.ts'],
      // The embedded database is compiled to WebAssembly. Opening one takes seconds on a small machine.
      testTimeout: 120_000,
      hookTimeout: 180_000,
      expect: { poll },
    },
  },
]

// The tests of `pnpm test:soak`. They run one file at a time: some apply load for minutes, often while killing processes, and
// others follow the guides, which use fixed ports.
const soak = {
  test: {
    name: 'soak',
    include: ['{packages,apps}/*/{src,test}/**/*.soak.ts', 'scripts/**/*.soak.ts'],
    globalSetup: ['apps/api/test/support/global-setup.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: 180_000,
    fileParallelism: false,
  },
}

// If a setup awaits a promise that never resolves, Node can exit with code 0 before the tests finish. The plugin below makes such
// a run fail.
let watched = false
const failUnlessClosed: Plugin = {
  name: 'fail-unless-closed',
  configureVitest: ({ vitest }) => {
    if (watched) return
    watched = true
    const fail = () => {
      process.exitCode = 1
      process.stderr.write('Node exited before the tests finished: a setup awaits a promise that never resolves.\n')
    }
    process.once('exit', fail)
    vitest.onClose(() => void process.off('exit', fail))
  },
}

export default defineConfig({
  plugins: [failUnlessClosed],
  test: {
    projects: process.env['FLOWPOST_SOAK'] === '1' ? [...projects, soak] : projects,
    // API tests mostly wait for a database or a clock, so three workers can share two cores.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    // A test that does not restore its mocks must not affect the next one.
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
})
