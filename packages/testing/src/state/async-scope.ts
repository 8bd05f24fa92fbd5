/** A value that is visible only to the code that `run` calls, including asynchronous calls. See `AsyncLocalStorage`. */
export interface AsyncScope<Value> {
  /** `false` on platforms without `AsyncLocalStorage`, where `get` always returns `undefined`. */
  readonly isSupported: boolean
  /** Calls `work`. In `work` and in the asynchronous calls that it makes, `get` returns `value`. */
  run<Result>(value: Value, work: () => Result): Result
  /** Returns the value of the innermost `run`, or `undefined` outside of `run`. */
  get(): Value | undefined
}

interface AsyncLocalStorage<Value> {
  run<Result>(value: Value, work: () => Result): Result
  getStore(): Value | undefined
}

interface Platform {
  readonly process?: {
    getBuiltinModule?(name: string): { readonly AsyncLocalStorage?: new <Value>() => AsyncLocalStorage<Value> } | undefined
  }
}

/** Creates an {@link AsyncScope}. */
export const createAsyncScope = <Value>(): AsyncScope<Value> => {
  // Looks up the module at run time, because bundlers for browsers cannot resolve an import of a Node.js module.
  const Storage = (globalThis as Platform).process?.getBuiltinModule?.('node:async_hooks')?.AsyncLocalStorage
  const storage = Storage && new Storage<Value>()
  return {
    isSupported: storage !== undefined,
    run: (value, work) => (storage ? storage.run(value, work) : work()),
    get: () => storage?.getStore(),
  }
}
