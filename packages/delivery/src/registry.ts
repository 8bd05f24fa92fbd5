import { type Provider, providerIdPattern } from './provider.ts'

/** The providers that a deployment has registered. */
export interface Registry {
  /** Returns the providers in the order of registration. */
  readonly list: () => readonly Provider[]
  readonly get: (id: string) => Provider | undefined
  readonly has: (id: string) => boolean
}

/**
 * Creates a registry for looking up providers by id.
 *
 * @throws TypeError when an id is invalid or not unique.
 */
export function createRegistry(providers: readonly Provider[]): Registry {
  const providersById = new Map<string, Provider>()
  for (const provider of providers) {
    if (!providerIdPattern.test(provider.id)) {
      throw new TypeError(`The provider id ${JSON.stringify(provider.id)} does not match ${providerIdPattern.source}.`)
    }
    if (providersById.has(provider.id)) throw new TypeError(`Two providers have the id ${provider.id}.`)
    providersById.set(provider.id, provider)
  }
  const all = Object.freeze([...providersById.values()])
  return { list: () => all, get: (id) => providersById.get(id), has: (id) => providersById.has(id) }
}
