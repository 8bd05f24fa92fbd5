// The packages that are published to npm: those in `packages/` that are not marked as private.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The root folder of the repository. */
export const root = resolve(import.meta.dirname, '../..')

/** The files of an entry point. */
export interface EntryFiles {
  readonly types: string
  readonly default: string
}

/** An entry point: ES modules only, or ES modules and a CommonJS copy for programs that cannot `require` ES modules. */
export type Entry = EntryFiles | Readonly<Record<'import' | 'module-sync' | 'require', EntryFiles>>

/** The fields of a `package.json` that the scripts read. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly repository?: { readonly url?: string; readonly directory?: string }
  readonly exports: Readonly<Record<string, unknown>>
  /** The commands of the packed package, by name. */
  readonly bin?: Readonly<Record<string, string>>
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, Entry>> }
  readonly engines: { readonly node: string }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** Reads the `package.json` in a folder. */
export const readManifest = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** Returns the folders of the published packages. */
export const publishedFolders = (): string[] =>
  globSync('packages/*', { cwd: root })
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(join(folder, 'package.json')) && readManifest(folder).private !== true)
    .sort()
