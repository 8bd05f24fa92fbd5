import { expect } from 'vitest'
import { type FlowpostMatchers, flowpostMatchers } from './matchers.ts'

declare global {
  // Every version of Vitest derives its assertions from this interface. Vitest's own interfaces have different type
  // parameters in each major version, and declarations merge only if these are equal.
  // biome-ignore lint/style/noNamespace: Chai declares its types in a global namespace.
  namespace Chai {
    interface Assertion extends FlowpostMatchers {}
  }
}

expect.extend(flowpostMatchers)
