import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { childEnvironment } from './support/child-environment.ts'

const urlOf = (file: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, '../src', file)).href)

/** Runs a script whose standard output is on a full disk. Returns its exit code, or `null` if it did not end within 20 s. */
const runOnFullDisk = (script: string) => {
  const full = openSync('/dev/full', 'w')
  try {
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      env: childEnvironment,
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
      timeout: 20_000,
      killSignal: 'SIGKILL',
    })
    return { status, stderr }
  } finally {
    closeSync(full)
  }
}

const writeLines = `for (const text of ['one', 'two', 'three']) {
  print(text)
  await new Promise((resolve) => setTimeout(resolve, 50))
}`

describe.skipIf(!existsSync('/dev/full'))('if the disk of standard output is full,', () => {
  it('a server continues, and ends with its own exit code', () => {
    const script = `const { createLog } = await import(${urlOf('log.ts')})
      const log = createLog({ level: 'info' })
      const print = (text) => log.info(text)
      ${writeLines}
      console.error('continued')
      process.exit(4)`
    expect(runOnFullDisk(script)).toEqual({ status: 4, stderr: 'continued\n' })
  })

  it.each([
    ['one line', "print('one')"],
    ['several lines', writeLines],
  ])('an operator command that prints %s finishes its work, and reports the loss', (_what, lines) => {
    const script = `const { runInProcess } = await import(${urlOf('cli/command-line.ts')})
      await runInProcess(async ({ print, printError }) => {
        ${lines}
        printError('finished')
        return 0
      })`
    const { status, stderr } = runOnFullDisk(script)
    expect(status).toBe(1)
    expect(stderr.split('\n').toSorted()).toEqual([
      '',
      'Standard output cannot be written: ENOSPC: no space left on device, write. If a new key is missing, revoke it.',
      'finished',
    ])
  })
})
