import { watch } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Calls `onChange` when a Markdown file in a source's folder is changed or added. Returns a function that
 * stops watching.
 * @param sources Paths relative to `root`.
 */
export const watchSources = (root: string, sources: Iterable<string>, onChange: () => void): (() => void) => {
  // Watches folders instead of files: many editors save by replacing the file, and a watch ends when its file is replaced.
  const folders = new Set([...sources].map(dirname))
  const watchers = [...folders].map((folder) =>
    watch(join(root, folder), (_, file) => {
      if (file?.endsWith('.md')) onChange()
    }),
  )
  return () => {
    for (const watcher of watchers) watcher.close()
  }
}
