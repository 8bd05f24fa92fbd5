import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { socketPath } from './lock.ts'

let dataDir: string
let children: ChildProcessByStdio<Writable, Readable, null>[]
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'flowpost-race-'))
  children = []
})
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await rm(dataDir, { recursive: true, force: true })
})

/** A program that locks the folder when it receives a line, and prints the outcome. */
const script = `
import { once } from 'node:events'
import { lockDataFolder } from ${JSON.stringify(join(import.meta.dirname, 'lock.ts'))}
console.log('ready')
await once(process.stdin, 'data')
try {
  await lockDataFolder(process.argv[1])
  console.log('held')
} catch (error) {
  console.log(error.name === 'DataFolderInUseError' ? error.message : 'failed: ' + error.stack)
}
setInterval(() => {}, 1000)
`

const startRival = async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  const readOutput = async (): Promise<string> => String((await once(child.stdout, 'data'))[0]).trim()
  expect(await readOutput()).toBe('ready')
  return {
    pid: child.pid,
    lock: () => {
      const outcome = readOutput()
      child.stdin.write('go\n')
      return outcome
    },
    kill: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

const race = async (count: number) => {
  const rivals = await Promise.all(Array.from({ length: count }, startRival))
  const outcomes = await Promise.all(rivals.map((rival) => rival.lock()))
  const holders = rivals.filter((_, index) => outcomes[index] === 'held')
  return { rivals, holders, errors: outcomes.filter((outcome) => outcome !== 'held') }
}

describe('a data folder that ten processes lock at once', () => {
  it('has exactly one holder, and the errors in the other processes name it', async () => {
    const { holders, errors } = await race(10)
    expect(holders).toHaveLength(1)
    expect(errors).toHaveLength(9)
    for (const error of errors)
      expect(error).toMatch(
        /^The data folder \S+ is in use by Flowpost, process \d+\. Stop that process, or set FLOWPOST_DATA_DIR to another folder/,
      )
    // The error in a later process also names the holder.
    expect(await (await startRival()).lock()).toContain(`process ${holders[0]?.pid}.`)
  })

  it('has exactly one holder after the previous holder was killed and left its socket behind', async () => {
    const previous = await startRival()
    expect(await previous.lock()).toBe('held')
    await previous.kill()
    expect((await stat(socketPath(dataDir))).isSocket()).toBe(true)
    const { holders, errors } = await race(10)
    expect([holders.length, errors.length]).toEqual([1, 9])
    for (const error of errors) expect(error).toContain('is in use by ')
  })
})
