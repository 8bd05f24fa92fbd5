import { builtInSourceTypes } from '@flowpost/contract'
import { builtInProviders } from '@flowpost/delivery'
import { builtInDescriptions } from '@flowpost/domain'
import { expect, it } from 'vitest'
import { readConfig } from './config.ts'
import { deploymentProviders } from './deployment-providers.ts'

it('serves the same six built-in providers that the contract, the mock and the delivery package name', () => {
  const ids = (providers: readonly { readonly id: string }[]) => providers.map(({ id }) => id)
  expect(ids(deploymentProviders(readConfig({}).config))).toEqual(builtInSourceTypes)
  expect(ids(builtInProviders)).toEqual(builtInSourceTypes)
  expect(ids(builtInDescriptions)).toEqual(builtInSourceTypes)
})
