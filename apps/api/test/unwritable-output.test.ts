import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { childEnvironment } from './support/child-environment.ts'

const urlOf = (file: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, '../src', file)).href)

type Output = 'full' | 'pipe'

/** Runs a script, with outputs on a full disk or to a pipe. Its exit code is `null` if it did not end within 20 s. */
const run = (script: string, ...outputs: Output[]) => {
  const full = openSync('/dev/full', 'w')
  try {
    const { status, output } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      env: childEnvironment,
      stdio: ['ignore', ...outputs.map((output) => (output === 'full' ? full : output))],
      encoding: 'utf8',
      timeout: 20_000,
      killSignal: 'SIGKILL',
      maxBuffer: 64 * 1_048_576,
    })
    return { status, stdout: output[1] ?? '', stderr: output[2] ?? '', extra: output[3] ?? '' }
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
    expect(run(script, 'full', 'pipe')).toMatchObject({ status: 4, stderr: 'continued\n' })
  })

  it('a server writes its log again once there is space, although lines were dropped', () => {
    const script = `const { default: fs } = await import('node:fs')
      const { write } = fs
      const noSpace = Object.assign(new Error('no space'), { code: 'ENOSPC' })
      let isFull = true
      let written = 0
      fs.write = (fd, data, ...rest) => {
        const done = rest.at(-1)
        if (isFull) return setImmediate(done, noSpace)
        return write(fd, data, (error, count) => {
          written += count
          done(error, count)
        })
      }
      const { createLog } = await import(${urlOf('log.ts')})
      const log = createLog({ level: 'info' })
      const turn = () => new Promise((resolve) => setTimeout(resolve, 5))
      for (const length of [1_048_576, 65_536, 4_096, 256, 1]) for (let index = 0; index < 20; index += 1) log.info('x'.repeat(length))
      await turn()
      isFull = false
      log.info('dropped')
      while (written < 16_000_000) await turn()
      log.info('written')`
    const { status, stdout } = run(script, 'pipe', 'pipe')
    expect(status).toBe(0)
    expect(stdout).toContain('"msg":"written"')
  })

  it('an operator command finishes its work if its errors cannot be written either', () => {
    const script = `const { writeFileSync } = await import('node:fs')
      const { runInProcess } = await import(${urlOf('cli/command-line.ts')})
      await runInProcess(async ({ print, printError }) => {
        for (const write of [print, printError, print, printError]) {
          write('text')
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
        writeFileSync(3, 'finished')
        return 0
      })`
    expect(run(script, 'full', 'full', 'pipe')).toMatchObject({ status: 1, extra: 'finished' })
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
    const { status, stderr } = run(script, 'full', 'pipe')
    expect(status).toBe(1)
    expect(stderr.split('\n').toSorted()).toEqual([
      '',
      'Standard output cannot be written: ENOSPC: no space left on device, write. If a new key was created but not shown, revoke it.',
      'finished',
    ])
  })
})
