import { expect } from 'vitest'
import { type FlowpostMatchers, flowpostMatchers } from './matchers.ts'

declare global {
  // Extends an interface of Chai, from which every version of Vitest derives its assertions. Vitest's own interfaces cannot be
  // extended here: their type parameters differ between major versions, and TypeScript merges only declarations with equal
  // type parameters.
  // biome-ignore lint/style/noNamespace: Chai declares its types in a global namespace.
  namespace Chai {
    interface Assertion extends FlowpostMatchers {}
  }
}

expect.extend(flowpostMatchers)
