import { expect, it } from 'vitest'
import { cpuMs } from './cpu-time.ts'

it.runIf(process.platform === 'linux')('tells what a process has used, as Node tells it of this one', async () => {
  const { user, system } = process.cpuUsage()
  const told = await cpuMs(process.pid)
  expect(Math.abs((told ?? 0) - (user + system) / 1000)).toBeLessThan(200)
})

it('tells nothing of a process that is not there', async () => {
  expect(await cpuMs(0)).toBeUndefined()
})
