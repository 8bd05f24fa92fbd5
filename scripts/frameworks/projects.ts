// Scratch projects, each with a version of a test framework and the packed packages.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jestSetting, jestTest, nodeTest, toCommonJs, typesProgram, vitestTest } from './examples.ts'

/** A scratch npm project that runs one test with one version of a framework. */
export interface Project {
  readonly name: string
  /** The framework and its version, for the report. */
  readonly title: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly files: Readonly<Record<string, string>>
  /** The arguments of `node` that run the test, relative to the folder of the project. */
  readonly args: readonly string[]
  /** A pattern that matches the output of a passed test. */
  readonly passed: RegExp
  /** The minimum Node version of the framework, if it is higher than the packages' minimum. */
  readonly minNode?: string
  /** Additional compiler options for `types.ts`. */
  readonly compilerOptions?: readonly string[]
}

interface JestOptions {
  readonly version: string
  readonly types: string
  readonly type: 'module' | 'commonjs'
  /**
   * The packages that the test environment needs, with their versions. The last package is the environment itself.
   * @default the environment `node`
   */
  readonly environment?: Readonly<Record<string, string>>
}

const jest = ({ version, types, type, environment = {} }: JestOptions): Project => {
  const isModule = type === 'module'
  const testEnvironment = Object.keys(environment).at(-1) ?? 'node'
  const config = `{ testEnvironment: '${testEnvironment}', ${jestSetting} }`
  return {
    name: `jest-${version.split('.')[0]}-${type}-${testEnvironment}`,
    title: `Jest ${version}, ${isModule ? 'ES modules' : 'CommonJS'}, ${testEnvironment}`,
    dependencies: { jest: version, '@types/jest': types, ...environment },
    files: {
      'package.json': JSON.stringify({ private: true, type }),
      'jest.config.js': `${isModule ? 'export default' : 'module.exports ='} ${config}\n`,
      'invoice.test.js': isModule ? jestTest : toCommonJs(jestTest),
      'types.ts': typesProgram("import '@flowpost/testing/jest'"),
    },
    args: [...(isModule ? ['--experimental-vm-modules'] : []), 'node_modules/jest/bin/jest.js'],
    passed: /1 passed, 1 total/,
    compilerOptions: ['--types', 'jest'],
  }
}

const vitest = (version: string, options: Pick<Project, 'minNode' | 'compilerOptions'> = {}): Project => ({
  name: `vitest-${version.split('.')[0]}`,
  title: `Vitest ${version}`,
  dependencies: { vitest: version },
  files: {
    'invoice.test.ts': vitestTest,
    'types.ts': typesProgram("import { expect } from 'vitest'\nimport '@flowpost/testing/vitest'"),
  },
  args: ['node_modules/vitest/vitest.mjs', 'run'],
  passed: /Tests +1 passed \(1\)/,
  ...options,
})

/** The supported test frameworks: the newest version of each supported major version. */
export const projects: readonly Project[] = [
  jest({ version: '30.5.2', types: '30.0.0', type: 'module' }),
  jest({ version: '30.5.2', types: '30.0.0', type: 'commonjs' }),
  jest({
    version: '30.5.2',
    types: '30.0.0',
    type: 'commonjs',
    environment: { 'jest-environment-jsdom': '30.5.2', 'jest-fixed-jsdom': '0.0.11' },
  }),
  jest({ version: '29.7.0', types: '29.5.14', type: 'module' }),
  jest({ version: '29.7.0', types: '29.5.14', type: 'commonjs' }),
  vitest('5.1.1', { minNode: '22.12.0' }),
  vitest('4.1.12'),
  // Library checks are off, because Vitest 3 declares a method that the current types of Chai also declare.
  vitest('3.2.7', { compilerOptions: ['--skipLibCheck', 'true'] }),
  {
    name: 'node-test',
    title: 'node:test',
    dependencies: {},
    files: { 'invoice.test.mjs': nodeTest },
    args: ['--test', '--test-reporter=tap'],
    passed: /^# pass 1$/m,
  },
]

/** Writes a workspace with all projects into a folder. `tarballs` contains the paths of the packed packages, keyed by name. */
export const writeProjects = (folder: string, tarballs: Readonly<Record<string, string>>): void => {
  const packed = Object.fromEntries(Object.entries(tarballs).map(([name, tarball]) => [name, `file:${tarball}`]))
  const workspace = { packages: ['*'], overrides: packed, strictPeerDependencies: false, autoInstallPeers: false }
  writeFileSync(join(folder, 'pnpm-workspace.yaml'), JSON.stringify(workspace))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'frameworks', private: true }))
  for (const { name, dependencies, files } of projects) {
    mkdirSync(join(folder, name))
    const { 'package.json': manifest = '{ "private": true, "type": "module" }', ...others } = files
    writeFileSync(
      join(folder, name, 'package.json'),
      JSON.stringify({ ...JSON.parse(manifest), name, dependencies: { ...packed, ...dependencies } }),
    )
    for (const [file, source] of Object.entries(others)) writeFileSync(join(folder, name, file), source)
  }
}
