import type { FlowCreate, FlowpostLock, LockedProject } from '@flowpost/client'
import { storeIntegration } from '../features/integrations.ts'
import { lockDigest } from '../features/settings.ts'
import type { ChangeOrigin } from '../features/settings-history.ts'
import { type Seed, sampleIntegrations } from '../seed.ts'
import { type MockContext, type MockProvider, providerOf } from '../state/mock-context.ts'

/**
 * Generates a target for a flow that has no target in the lock file. The target is derived from the flow's key, so that
 * a failed test shows which flow sent a message.
 *
 * @throws {TypeError} When the provider accepts none of the candidate targets.
 */
const createTarget = ({ kind, id, parseTarget }: MockProvider, key: string): string => {
  const conversationId = `C0${key.toUpperCase().replaceAll('-', '').slice(0, 30).padEnd(8, '0')}`
  // The name of a stored URL starts with a letter and has at most 63 characters. A flow's key may start with a digit and has at
  // most 64 characters.
  const urlName = (/^\d/.test(key) ? `flow-${key}` : key).slice(0, 63)
  const candidates = kind === 'email' ? [`${key}@example.com`] : [key, urlName, conversationId]
  const target = candidates.find((candidate) => parseTarget(candidate).ok)
  if (target === undefined)
    throw new TypeError(
      `The flow ${key} has no target, and none can be generated for the provider ${id}. Write the lock file with \`flowpost types --with-targets\`.`,
    )
  return target
}

/** The dependencies for creating a lock file's resources. */
interface SeedDeps {
  readonly seed: Seed
  readonly origin: ChangeOrigin
}

const requireProvider = (context: MockContext, sourceType: string): MockProvider => {
  const provider = providerOf(context, sourceType)
  if (provider) return provider
  throw new TypeError(`The mock does not support the provider ${sourceType}. Add it to the \`providers\` option.`)
}

const seedProject = (
  context: MockContext,
  { seed, origin }: SeedDeps,
  key: string,
  { name, digest, flows, integrations }: LockedProject,
): void => {
  const project = seed.project({ name, key })
  for (const [flowKey, { target, message_template: template, ...flow }] of Object.entries(flows)) {
    const provider = requireProvider(context, flow.source_type)
    seed.flow({
      ...(flow as FlowCreate),
      key: flowKey,
      target: target ?? createTarget(provider, flowKey),
      message_template: typeof template === 'string' ? template : template.join('\n'),
      project,
    })
  }
  for (const [sourceType, { settings }] of Object.entries(integrations)) {
    requireProvider(context, sourceType)
    // A lock file contains no secrets, so built-in providers get sample secrets. A custom provider gets none.
    // `seed.integration` is not used, because it would reject an integration without its required secrets.
    const secrets = sampleIntegrations[sourceType]?.secrets ?? {}
    storeIntegration(context, origin, { projectId: project.id, sourceType, settings, secrets })
  }
  lockDigest(context, project.id, digest)
}

/**
 * Creates a lock file's projects with their flows and integrations. Until a test changes a project's settings, the mock
 * returns the settings digest from the lock file.
 *
 * @throws {TypeError} When a project in the lock file cannot be created.
 */
export const seedLock = (context: MockContext, deps: SeedDeps, lock: FlowpostLock): void => {
  for (const [key, project] of Object.entries(lock.projects)) {
    try {
      seedProject(context, deps, key, project)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw new TypeError(`The project ${key} in the lock file cannot be created: ${error.message}`)
    }
  }
}
