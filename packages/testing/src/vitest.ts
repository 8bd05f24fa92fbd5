import { expect } from 'vitest'
import { type FlowpostMatchers, flowpostMatchers } from './matchers.ts'

declare module 'vitest' {
  // The type parameters must match Vitest, or the declarations do not merge.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends FlowpostMatchers<R> {}
}

expect.extend(flowpostMatchers)
