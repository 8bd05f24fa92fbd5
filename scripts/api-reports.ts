// Compares the public API of each published package with its reports in `packages/*/api`, and fails if they differ. With
// `--write`, updates the reports instead. Reads the declarations in `dist`, so the packages must be built first.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { Extractor, ExtractorConfig, ExtractorLogLevel, type ExtractorMessage, type IConfigFile } from '@microsoft/api-extractor'
import { publishedFolders, readManifest, root } from './packages/published.ts'

// Options for the TypeScript compiler inside API Extractor. It is not the repository's version of TypeScript.
const compilerOptions = {
  target: 'es2023',
  lib: ['es2024', 'esnext.disposable', 'dom'],
  module: 'nodenext',
  strict: true,
  skipLibCheck: true,
  types: ['node'],
  // Within the workspace, the client exports its sources. These paths select the built declarations that users install.
  paths: {
    '@flowpost/client': [join(root, 'packages/client/dist/index.d.ts')],
    '@flowpost/client/events': [join(root, 'packages/client/dist/events.d.ts')],
  },
}

/** Returns the report name of an entry point: `conformance-model` for `./conformance/model`, and `index` for `.`. */
const reportName = (entry: string): string => (entry === '.' ? 'index' : entry.slice(2).replaceAll('/', '-'))

const printError = (message: ExtractorMessage): void => {
  if (message.logLevel === ExtractorLogLevel.Error) console.error(message.text)
  message.handled = true
}

/**
 * Writes the report of one entry point.
 * @throws Error when its declarations do not compile.
 */
const writeReport = (packageFolder: string, entry: string, types: string, reportFolder: string): void => {
  const declarations = resolve(packageFolder, types)
  if (!existsSync(declarations)) throw new Error(`${relative(root, declarations)} does not exist. Run \`pnpm build\` first.`)
  const settings: IConfigFile = {
    projectFolder: packageFolder,
    mainEntryPointFilePath: declarations,
    compiler: { overrideTsconfig: { compilerOptions, files: [declarations] } },
    apiReport: { enabled: true, reportFolder, reportTempFolder: reportFolder, reportFileName: `${reportName(entry)}.api.md` },
    newlineKind: 'lf',
    messages: { compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } } },
  }
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: join(packageFolder, 'package.json'),
    configObjectFullPath: undefined,
    configObject: settings,
  })
  const { errorCount } = Extractor.invoke(config, { localBuild: true, messageCallback: printError })
  if (errorCount > 0) throw new Error(`The declarations of ${relative(root, declarations)} do not compile.`)
  // Removes notes about missing doc comments, because they do not change the API.
  const path = join(reportFolder, `${reportName(entry)}.api.md`)
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^ *\/\/ \(undocumented\)\n/gm, ''))
}

/** Prints the differences between two folders. Returns whether there are any. */
const printDifferences = (before: string, after: string): boolean => {
  mkdirSync(before, { recursive: true })
  try {
    execFileSync('git', ['diff', '--no-index', '--no-color', before, after], { stdio: ['ignore', 'inherit', 'inherit'] })
    return false
  } catch {
    return true
  }
}

const isWriting = process.argv.includes('--write')
const temporary = mkdtempSync(join(tmpdir(), 'flowpost-api-'))
try {
  for (const packageFolder of publishedFolders()) {
    const { name, publishConfig } = readManifest(packageFolder)
    const reportFolder = join(packageFolder, 'api')
    const target = isWriting ? reportFolder : join(temporary, name)
    if (isWriting) rmSync(reportFolder, { recursive: true, force: true })
    mkdirSync(target, { recursive: true })
    for (const [name, entry] of Object.entries(publishConfig?.exports ?? {})) {
      const { types } = 'import' in entry ? entry.import : entry
      writeReport(packageFolder, name, types, target)
    }
    const isDifferent = !isWriting && printDifferences(reportFolder, target)
    if (isDifferent) process.exitCode = 1
    console.log(`${isDifferent ? 'FAILED ' : 'ok     '} public API of ${name}: ${readdirSync(target).length} entry points`)
  }
} finally {
  rmSync(temporary, { recursive: true })
}
if (process.exitCode === 1)
  console.error('\nThe public API differs from its reports. If the changes are intended, run `pnpm api:update` and commit the reports.')
