import { expect, it } from 'vitest'
import { cpuMs } from './cpu-time.ts'

it.runIf(process.platform === 'linux')('returns the CPU time that Node reports, within 200 ms', async () => {
  const { user, system } = process.cpuUsage()
  const measured = await cpuMs(process.pid)
  expect(Math.abs((measured ?? 0) - (user + system) / 1000)).toBeLessThan(200)
})

it('returns undefined for a process that does not exist', async () => {
  expect(await cpuMs(0)).toBeUndefined()
})
