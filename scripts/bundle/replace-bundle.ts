import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The file that marks a folder as a bundle. It is replaced last. */
export const bundleMarker = 'THIRD-PARTY.txt'

const newBundle = '.new-bundle'

/**
 * Replaces the bundle in a folder. All other files in the folder remain, such as the data, settings and backups of a server that
 * runs there. The old bundle remains too if `write` fails.
 * @param paths the files and folders of a bundle, including {@link bundleMarker}. The folders must contain only files of the
 * bundle.
 * @param write writes the new bundle into the folder that it receives.
 * @returns the result of `write`.
 * @throws Error if the folder contains files and no bundle.
 */
export const replaceBundle = async <Result>(
  folder: string,
  paths: readonly string[],
  write: (folder: string) => Promise<Result>,
): Promise<Result> => {
  const names = existsSync(folder) ? readdirSync(folder) : []
  // An interrupted replacement may leave a folder without the marker. In that case, the folder still contains `newBundle`.
  if (names.length > 0 && !names.includes(bundleMarker) && !names.includes(newBundle))
    throw new Error(`${folder} contains files, but no bundle. Name a folder that is empty, does not exist or contains a bundle.`)
  // Writes the new bundle inside the target folder, so that both are on the same file system. `renameSync`, which moves the new
  // files into place, cannot move a file to another file system.
  const source = join(folder, newBundle)
  rmSync(source, { recursive: true, force: true })
  mkdirSync(source, { recursive: true })
  try {
    const result = await write(source)
    const others = paths.filter((path) => path !== bundleMarker)
    // Removes the whole old bundle first, so that files of the old and the new bundle never run together.
    for (const path of others) rmSync(join(folder, path), { recursive: true, force: true })
    for (const path of [...others, bundleMarker]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      renameSync(join(source, path), join(folder, path))
    }
    return result
  } finally {
    rmSync(source, { recursive: true, force: true })
  }
}
