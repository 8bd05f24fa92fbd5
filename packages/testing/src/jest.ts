import { type FlowpostMatchers, flowpostMatchers } from './matchers.ts'

declare global {
  // biome-ignore lint/style/noNamespace: Jest declares its types in a global namespace.
  namespace jest {
    // The type parameters must match @types/jest, or the declarations do not merge.
    // biome-ignore lint/complexity/noBannedTypes: see above.
    interface Matchers<R, T = {}> extends FlowpostMatchers<R> {}
  }
}

// With `injectGlobals: false`, Jest has no global `expect`. A test or setup file must then import `expect` from `@jest/globals`
// and call `expect.extend(flowpostMatchers)`.
const { expect } = globalThis as { expect?: { extend(matchers: object): void } }
expect?.extend(flowpostMatchers)
