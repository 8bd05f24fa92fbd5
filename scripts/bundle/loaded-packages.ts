// Finds the packages that a process loads from a bundle at startup, by following static imports.
import type { Metafile } from 'esbuild'

const packageName = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//

/**
 * Returns the packages that are loaded together with `modules`. Does not include packages that are imported dynamically.
 * @param modules the paths, in the repository, of entry points or dynamically imported modules.
 * @throws Error if one of the modules has no separate file in the bundle.
 */
export const loadedPackages = (metafile: Metafile, modules: readonly string[]): ReadonlySet<string> => {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    const output = metafile.outputs[path]
    if (!output) throw new Error(`The bundle imports ${path}, which it does not contain.`)
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const name = packageName.exec(input)?.[1]
      if (name !== undefined && bytesInOutput > 0) packages.add(name)
    }
    for (const { path: imported, kind, external } of output.imports) {
      if (kind !== 'import-statement') continue
      if (external === true) packages.add(imported)
      else visit(imported)
    }
  }
  for (const module of modules) {
    const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === module)
    if (!entry) throw new Error(`${module} must be imported dynamically. Otherwise, every role loads it.`)
    visit(entry[0])
  }
  return packages
}
