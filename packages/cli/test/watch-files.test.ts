import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { expect, it, onTestFinished, vi } from 'vitest'
import { watchFiles } from '../src/dev/watch-files.ts'

it('reports an error of the file watcher instead of ending the process', () => {
  const watch = vi.spyOn(fs, 'watch')
  syncBuiltinESMExports()
  onTestFinished(() => {
    watch.mockRestore()
    syncBuiltinESMExports()
  })
  const errors: Error[] = []
  const watcher = watchFiles(
    tmpdir(),
    () => {},
    (error) => errors.push(error),
  )
  onTestFinished(() => watcher.close())
  const error = new Error('EPERM: operation not permitted, watch')
  watch.mock.results[0]?.value.emit('error', error)
  expect(errors).toEqual([error])
})
