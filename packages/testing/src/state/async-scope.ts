/** A value that code reads in its own asynchronous calls, and that other code does not see. */
export interface AsyncScope<Value> {
  /** `false` on platforms without `AsyncLocalStorage`, where `get` always returns `undefined`. */
  readonly isSupported: boolean
  /** Calls `work`. In its asynchronous calls, `get` returns `value`. */
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

/** Creates a scope without a value. */
export const createAsyncScope = <Value>(): AsyncScope<Value> => {
  // Looked up at run time, because browsers lack the module, so bundlers would fail to resolve an import of it.
  const Storage = (globalThis as Platform).process?.getBuiltinModule?.('node:async_hooks')?.AsyncLocalStorage
  const storage = Storage && new Storage<Value>()
  return {
    isSupported: storage !== undefined,
    run: (value, work) => (storage ? storage.run(value, work) : work()),
    get: () => storage?.getStore(),
  }
}
