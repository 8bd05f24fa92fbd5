import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Provider } from '@flowpost/delivery'

const packageName = '@flowpost/delivery'

/** Thrown when a file that is to bring providers brings none. The message is for the operator. */
export class ProviderFileError extends Error {
  override readonly name = 'ProviderFileError'
}

/**
 * Loads delivery providers out of files: every export that `defineProvider` has made. A file may stand anywhere, and
 * gets the server's own `@flowpost/delivery`, whatever else is installed beside it, so that both mean the same errors.
 * @param paths relative to the working directory.
 * @param registered what is there already: their ids are taken.
 * @throws ProviderFileError naming the file.
 */
export const loadProviders = async (paths: readonly string[], registered: readonly Provider[]): Promise<Provider[]> => {
  if (paths.length === 0) return []
  const own = import.meta.resolve(packageName)
  const hooks = registerHooks({
    resolve: (specifier, context, next) => (specifier === packageName ? { url: own, shortCircuit: true } : next(specifier, context)),
  })
  try {
    const providers: Provider[] = []
    const owners = new Map(registered.map(({ id }) => [id, 'Flowpost']))
    for (const path of paths) {
      for (const provider of await loadFile(path)) {
        const owner = owners.get(provider.id)
        if (owner !== undefined) throw taken(path, provider.id, owner)
        owners.set(provider.id, path)
        providers.push(provider)
      }
    }
    return providers
  } finally {
    hooks.deregister()
  }
}

const taken = (path: string, id: string, owner: string): ProviderFileError =>
  new ProviderFileError(
    `FLOWPOST_PROVIDERS: ${path} exports a provider with the id ${id}, which is taken by one of ${owner}. Choose another id.`,
  )

const loadFile = async (path: string): Promise<Provider[]> => {
  const exported: unknown[] = await import(pathToFileURL(resolve(path)).href).then(Object.values, (error: unknown) => {
    throw new ProviderFileError(`FLOWPOST_PROVIDERS: ${path} cannot be loaded. ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  })
  // The same one may be exported by two names, as with a default export.
  const providers = [...new Set(exported.filter(isProvider))]
  if (providers.length > 0) return providers
  throw new ProviderFileError(`FLOWPOST_PROVIDERS: ${path} exports no provider, as defineProvider makes one.`)
}

const isProvider = (value: unknown): value is Provider =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  ['parseTarget', 'compose', 'send', 'check'].every((name) => isFunction(value, name))

const isFunction = (value: object, name: string): boolean => typeof (value as Record<string, unknown>)[name] === 'function'
