import { expect } from 'vitest'
import { type FlowpostMatchers, flowpostMatchers } from './matchers.ts'

declare global {
  // Every version of Vitest derives its assertions from this interface. Declarations merge only if their type parameters
  // are equal, and the type parameters of Vitest's own interfaces differ between major versions.
  // biome-ignore lint/style/noNamespace: Chai declares its types in a global namespace.
  namespace Chai {
    interface Assertion extends FlowpostMatchers {}
  }
}

expect.extend(flowpostMatchers)
