import { expect } from 'vitest'
import { type FlowpostMatchers, flowpostMatchers } from './matchers.ts'

declare module 'vitest' {
  // The parameters are Vitest's own: declarations only merge when they are the same.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends FlowpostMatchers<R> {}
}

expect.extend(flowpostMatchers)
