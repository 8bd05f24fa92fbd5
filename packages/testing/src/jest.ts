import { type FlowpostMatchers, flowpostMatchers } from './matchers.ts'

declare global {
  // biome-ignore lint/style/noNamespace: the types of Jest are a global namespace.
  namespace jest {
    // The parameters are those of @types/jest: declarations only merge when they are the same.
    // biome-ignore lint/complexity/noBannedTypes: see above.
    interface Matchers<R, T = {}> extends FlowpostMatchers<R> {}
  }
}

const { expect } = globalThis as { expect?: { extend(matchers: object): void } }
if (!expect) throw new TypeError('@flowpost/testing/jest wants the global `expect` of Jest. Without it, give flowpostMatchers to your own.')
expect.extend(flowpostMatchers)
