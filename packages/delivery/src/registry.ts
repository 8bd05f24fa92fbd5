import { type Provider, providerIdPattern } from './provider.ts'

/** The providers of a deployment. */
export interface Registry {
  /** In the order of registration. */
  readonly list: () => readonly Provider[]
  readonly get: (id: string) => Provider | undefined
  readonly has: (id: string) => boolean
}

/**
 * Gathers providers by id.
 *
 * @throws TypeError when an id is out of grammar or taken twice.
 */
export function createRegistry(providers: readonly Provider[]): Registry {
  const byId = new Map<string, Provider>()
  for (const provider of providers) {
    if (!providerIdPattern.test(provider.id)) {
      throw new TypeError(`The provider id ${JSON.stringify(provider.id)} does not match ${providerIdPattern.source}.`)
    }
    if (byId.has(provider.id)) throw new TypeError(`Two providers have the id ${provider.id}.`)
    byId.set(provider.id, provider)
  }
  const all = Object.freeze([...byId.values()])
  return { list: () => all, get: (id) => byId.get(id), has: (id) => byId.has(id) }
}
