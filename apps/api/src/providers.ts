import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createBuiltInProviders, type EgressPolicy, type Provider, providerIdPattern } from '@flowpost/delivery'
import type { Config } from './config/config.ts'

/** Returns the built-in delivery providers, configured for this deployment. */
export const deploymentProviders = ({ smtpConnections, mailgunApiUrl, slackApiUrl }: Config): readonly Provider[] =>
  createBuiltInProviders({
    smtp: { maxConnections: smtpConnections },
    ...(mailgunApiUrl === undefined ? {} : { mailgunApiUrl }),
    ...(slackApiUrl === undefined ? {} : { slackApiUrl }),
  })

/**
 * Returns the egress policy: the networks that the server may connect to with projects' credentials. These are the
 * public internet and the networks in `FLOWPOST_EGRESS_ALLOW`.
 */
export const egressPolicy = ({ egressAllow }: Config): EgressPolicy => ({ allowedNetworks: egressAllow })

const packageName = '@flowpost/delivery'

/** Thrown when a file in `FLOWPOST_PROVIDERS` cannot be used. The message is for the operator. */
export class ProviderFileError extends Error {
  override readonly name = 'ProviderFileError'
}

/**
 * Loads every provider that the files export. A file may be anywhere on disk. Its imports of `@flowpost/delivery` resolve to
 * the server's copy, so that the file and the server use the same error classes.
 * @param paths the paths of the files, relative to the working directory.
 * @param registered the providers whose ids are already in use.
 * @throws ProviderFileError with the path of the file.
 */
export const loadProviders = async (paths: readonly string[], registered: readonly Provider[]): Promise<Provider[]> => {
  if (paths.length === 0) return []
  const serverCopy = import.meta.resolve(packageName)
  const hooks = registerHooks({
    resolve: (specifier, context, next) => (specifier === packageName ? { url: serverCopy, shortCircuit: true } : next(specifier, context)),
  })
  try {
    const providers: Provider[] = []
    const owners = new Map(registered.map(({ id }) => [id, 'Flowpost']))
    for (const path of paths) {
      for (const provider of await loadFile(path)) {
        const owner = owners.get(provider.id)
        if (owner !== undefined) throw duplicateId(path, provider.id, owner)
        owners.set(provider.id, path)
        providers.push(provider)
      }
    }
    return providers
  } finally {
    hooks.deregister()
  }
}

const duplicateId = (path: string, id: string, owner: string): ProviderFileError =>
  new ProviderFileError(
    `FLOWPOST_PROVIDERS: ${path} exports a provider with the id ${id}, which is already used by ${owner}. Choose another id.`,
  )

const loadFile = async (path: string): Promise<Provider[]> => {
  const exported: unknown[] = await import(pathToFileURL(resolve(path)).href).then(Object.values, (error: unknown) => {
    throw new ProviderFileError(`FLOWPOST_PROVIDERS: ${path} cannot be loaded. ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  })
  // The same provider may be exported twice, for example by name and as the default export.
  const providers = [...new Set(exported.filter(isProvider))]
  if (providers.length === 0)
    throw new ProviderFileError(`FLOWPOST_PROVIDERS: ${path} exports no provider. Create one with defineProvider.`)
  for (const { id } of providers)
    if (!providerIdPattern.test(id))
      throw new ProviderFileError(
        `FLOWPOST_PROVIDERS: ${path} exports a provider with the id ${JSON.stringify(id)}, which does not match ${providerIdPattern.source}.`,
      )
  return providers
}

const isProvider = (value: unknown): value is Provider =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  ['parseTarget', 'compose', 'send', 'check'].every((name) => isFunction(value, name))

const isFunction = (value: object, name: string): boolean => typeof (value as Record<string, unknown>)[name] === 'function'
