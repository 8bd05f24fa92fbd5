// Packs a package into the tarball that would be published. The package must be built.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { PackedPackage } from './local-registry.ts'
import { readManifest, root } from './published.ts'

/** Packs the package in `source`, and writes its tarball into `folder`. */
export const packPackage = (source: string, folder: string): PackedPackage => {
  const tarball = join(folder, `${readManifest(source).name.replace(/\W/g, '-')}.tgz`)
  execFileSync('pnpm', ['--dir', source, 'pack', '--out', tarball], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  const manifest = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' })
  return { tarball, manifest: JSON.parse(manifest) }
}
