import type { Connection } from '../command-context.ts'
import type { Io } from '../io.ts'
import type { Output } from '../output/output.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { locateWarnings, type SecretName, toDocument } from './config-document.ts'
import type { Config } from './config-types.ts'
import { type ConfigPlan, type PlanOptions, planConfig } from './plan-config.ts'
import { countChanges, printChanges, printWarnings, realChanges } from './print-changes.ts'
import { printConsequences } from './print-consequences.ts'

/** Formats secrets as a list, such as `slack/token, smtp/password`. */
export const listSecrets = (secrets: readonly SecretName[]): string =>
  secrets.map(({ sourceType, name }) => toSafeLine(`${sourceType}/${name}`)).join(', ')

/** The options of {@link showPlan}. */
export interface ShowPlanOptions extends Omit<PlanOptions, 'io'> {
  readonly connect: () => Promise<Connection>
  readonly io: Io
  readonly output: Output
}

/** Plans a config's changes, and prints the changes, warnings and consequences. The pointers of the warnings refer to the config. */
export const showPlan = async (
  config: Config,
  { connect, io, output, prune, consequences }: ShowPlanOptions,
): Promise<ConfigPlan & { readonly isChanged: boolean }> => {
  const { flowpost } = await connect()
  const plan = await output.withProgress('Comparing', () => planConfig(flowpost, config, { io, prune, consequences }))
  const changes = realChanges(plan)
  const warnings = locateWarnings(
    plan.warnings,
    toDocument(config, io.env, () => false),
  )
  printWarnings(output, warnings)
  printChanges(output, changes)
  if (changes.length > 0) output.print(`\n${countChanges(changes)}`)
  if (changes.length > 0 && plan.consequences) printConsequences(output, plan.consequences)
  return { ...plan, warnings, isChanged: changes.length > 0 }
}

/** Converts a plan to the command's JSON output. */
export const toPlanJson = (
  path: string,
  { project_id, digest, changes, warnings, consequences, storedSecrets, isChanged }: ConfigPlan & { isChanged: boolean },
) => ({
  path,
  project_id,
  digest,
  changed: isChanged,
  changes,
  warnings,
  ...(consequences && { consequences }),
  secrets_not_compared: storedSecrets.map(({ sourceType, name }) => ({ source_type: sourceType, name })),
})
