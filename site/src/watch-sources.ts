import { watch } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Calls `onChange` when a Markdown file in a source's folder is changed or added. Returns a function that
 * stops watching.
 * @param sources Paths relative to `root`.
 */
export const watchSources = (root: string, sources: Iterable<string>, onChange: () => void): (() => void) => {
  // Watches folders, because many editors replace a file when they save it, which ends the watch of a file.
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
