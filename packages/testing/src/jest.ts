import { type FlowpostMatchers, flowpostMatchers } from './matchers.ts'

declare global {
  // biome-ignore lint/style/noNamespace: the types of Jest are a global namespace.
  namespace jest {
    // The parameters are those of @types/jest: declarations only merge when they are the same.
    // biome-ignore lint/complexity/noBannedTypes: see above.
    interface Matchers<R, T = {}> extends FlowpostMatchers<R> {}
  }
}

// Without the globals of Jest there is nothing to extend here: give flowpostMatchers to the `expect` of `@jest/globals`.
const { expect } = globalThis as { expect?: { extend(matchers: object): void } }
expect?.extend(flowpostMatchers)
