// What a process of a bundle loads when it starts, as its files import each other.
import type { Metafile } from 'esbuild'

const packageName = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//

/**
 * The packages that are loaded with these modules, without what those import only when they need it.
 * @param modules as the repository names them: entry points, or what is imported dynamically.
 * @throws Error when the bundle has no such module, or not in a file of its own.
 */
export const loadedPackages = (metafile: Metafile, modules: readonly string[]): ReadonlySet<string> => {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    const output = metafile.outputs[path]
    if (!output) throw new Error(`The bundle imports ${path}, which it does not have.`)
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
    if (!entry) throw new Error(`${module} is not imported dynamically any more: every role would load it.`)
    visit(entry[0])
  }
  return packages
}
