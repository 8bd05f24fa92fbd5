import { describe } from 'vitest'

const runs = 50

// A race condition that fails one run in fifty fails daily in production.
describe('survives every fault in 50 consecutive runs', { repeats: runs - 1 }, async () => {
  await import('./abort.test.ts')
  await import('./before-the-request.test.ts')
  await import('./deadline.test.ts')
  await import('./unexpected-response.test.ts')
  await import('./retry.test.ts')
})
