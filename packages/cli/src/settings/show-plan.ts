import type { Connection } from '../command-context.ts'
import type { Io } from '../io.ts'
import type { Output } from '../output/output.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { type SecretName, toConfigPointer, toDocument } from './config-document.ts'
import type { Config } from './config-types.ts'
import { type ConfigPlan, planConfig } from './plan-config.ts'
import { countChanges, printChanges, printWarnings, realChanges } from './print-changes.ts'

/** Returns secrets as a list, such as `slack/token, smtp/password`. */
export const listSecrets = (secrets: readonly SecretName[]): string =>
  secrets.map(({ sourceType, name }) => toSafeLine(`${sourceType}/${name}`)).join(', ')

/** Plans a config and prints the changes and warnings. */
export const showPlan = async (
  config: Config,
  { connect, io, output, prune }: { connect: () => Promise<Connection>; io: Io; output: Output; prune: boolean },
): Promise<ConfigPlan & { readonly isChanged: boolean }> => {
  const { flowpost } = await connect()
  const plan = await output.withProgress('Comparing', () => planConfig(flowpost, config, { io, prune }))
  const changes = realChanges(plan)
  const document = toDocument(config, io.env, () => false)
  printWarnings(output, plan.warnings, (pointer) => toConfigPointer(pointer, document))
  printChanges(output, changes)
  if (changes.length > 0) output.print(`\n${countChanges(changes)}`)
  return { ...plan, isChanged: changes.length > 0 }
}

/** Returns the fields of a plan for programs. */
export const toPlanJson = (
  path: string,
  { project_id, digest, changes, warnings, storedSecrets, isChanged }: ConfigPlan & { isChanged: boolean },
) => ({
  path,
  project_id,
  digest,
  changed: isChanged,
  changes,
  warnings,
  secrets_not_compared: storedSecrets.map(({ sourceType, name }) => ({ source_type: sourceType, name })),
})
