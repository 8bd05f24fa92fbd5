import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

// Declares `compile`, which Node's types for `WebAssembly` lack.
const { compile } = (globalThis as unknown as { WebAssembly: { compile(code: Uint8Array): Promise<WebAssembly.Module> } }).WebAssembly

const load = async (): Promise<WebAssembly.Module> => {
  const pglite = findPackageJSON('@electric-sql/pglite', import.meta.url)
  if (pglite === undefined) throw new Error('The package @electric-sql/pglite is not installed.')
  return compile(await readFile(join(dirname(pglite), 'dist/pglite.wasm')))
}

let compiled: Promise<WebAssembly.Module> | undefined

/**
 * Compiles PGlite's WebAssembly module, once per process. V8 keeps the optimized code while the module is referenced, so
 * every later database in the process starts in a third of the time that the first one takes.
 */
export const compilePostgres = (): Promise<WebAssembly.Module> => {
  compiled ??= load()
  return compiled
}
