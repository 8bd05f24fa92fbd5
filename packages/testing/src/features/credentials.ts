import { integrationKey } from '../state/store.ts'
import type { World } from '../state/world.ts'

/** Whether there is a credential to deliver a project's messages with: its own, or the deployment's. */
export const hasCredential = ({ store, settings }: World, projectId: string, sourceType: string): boolean =>
  store.integrations.has(integrationKey(projectId, sourceType)) || settings.deploymentCredentials.has(sourceType)

/** How messages leave through each provider. */
export interface CaptureDecision {
  /** The providers whose messages are captured instead of sent. */
  readonly captured: ReadonlySet<string>
  /** The providers that can neither send nor be captured, for want of a credential. */
  readonly missing: ReadonlySet<string>
}

/** Decides at acceptance what is captured. */
export const decideCapture = (world: World, projectId: string, sourceTypes: Iterable<string>): CaptureDecision => {
  const { capture } = world.settings
  const captured = new Set<string>()
  const missing = new Set<string>()
  for (const sourceType of sourceTypes) {
    if (capture === 'on') captured.add(sourceType)
    else if (!hasCredential(world, projectId, sourceType)) (capture === 'missing' ? captured : missing).add(sourceType)
  }
  return { captured, missing }
}
