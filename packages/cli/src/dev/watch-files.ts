import { watch } from 'node:fs'

const relevant = /\.(?:[cm]?[jt]s|json|html|txt|md)$/
const settleMs = 100

/**
 * Watches a folder, without its subfolders, for changes to files that a config file may import or read. Calls `onChange`
 * only once for changes in quick succession. Calls `onError` when watching fails later, for example on Windows because the
 * folder was deleted. No change is reported after that.
 *
 * @throws {Error} When the system cannot watch the folder.
 */
export const watchFiles = (folder: string, onChange: () => void, onError: (error: Error) => void): { close(): void } => {
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(folder, (_, name) => {
    if (name !== null && (!relevant.test(name) || name.startsWith('.'))) return
    clearTimeout(timer)
    timer = setTimeout(onChange, settleMs)
  })
  // Without a listener, the error would end the process.
  watcher.on('error', onError)
  return {
    close: () => {
      clearTimeout(timer)
      watcher.close()
    },
  }
}
