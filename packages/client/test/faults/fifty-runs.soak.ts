import { describe } from 'vitest'

const runs = 50

// A race that is lost once in fifty times is lost every day by somebody.
describe('every fault is survived, 50 runs in a row', { repeats: runs - 1 }, async () => {
  await import('./abort.test.ts')
  await import('./before-the-request.test.ts')
  await import('./deadline.test.ts')
  await import('./foreign-answer.test.ts')
  await import('./retry.test.ts')
})
