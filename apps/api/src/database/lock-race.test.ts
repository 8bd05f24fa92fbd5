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

/** A process that takes the folder once it is told to, and says how that went. */
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
  const said = async (): Promise<string> => String((await once(child.stdout, 'data'))[0]).trim()
  expect(await said()).toBe('ready')
  return {
    pid: child.pid,
    take: () => {
      const answer = said()
      child.stdin.write('go\n')
      return answer
    },
    kill: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

const race = async (count: number) => {
  const rivals = await Promise.all(Array.from({ length: count }, startRival))
  const answers = await Promise.all(rivals.map((rival) => rival.take()))
  const owners = rivals.filter((_, index) => answers[index] === 'held')
  return { rivals, owners, refusals: answers.filter((answer) => answer !== 'held') }
}

describe('a data folder that 10 processes want at once', () => {
  it('has exactly one owner, whom the others name', async () => {
    const { owners, refusals } = await race(10)
    expect(owners).toHaveLength(1)
    expect(refusals).toHaveLength(9)
    for (const refusal of refusals)
      expect(refusal).toMatch(/^The data folder \S+ is in use by Flowpost, process \d+\. Stop that one first, or give this one a folder/)
    // Whoever asks now is told of the one that has it.
    expect(await (await startRival()).take()).toContain(`process ${owners[0]?.pid}.`)
  })

  it('has exactly one owner too when the one before was killed and left its socket behind', async () => {
    const before = await startRival()
    expect(await before.take()).toBe('held')
    await before.kill()
    expect((await stat(socketPath(dataDir))).isSocket()).toBe(true)
    const { owners, refusals } = await race(10)
    expect([owners.length, refusals.length]).toEqual([1, 9])
    for (const refusal of refusals) expect(refusal).toContain('is in use by ')
  })
})
