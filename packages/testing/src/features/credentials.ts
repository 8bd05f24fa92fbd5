import { type CaptureDecision, decideCapture } from '@flowpost/domain'
import { integrationKey } from '../state/store.ts'
import type { World } from '../state/world.ts'

/** Whether there is a credential to deliver a project's messages with: its own, or the deployment's. */
export const hasCredential = ({ store, settings }: World, projectId: string, sourceType: string): boolean =>
  store.integrations.has(integrationKey(projectId, sourceType)) || settings.deploymentCredentials.has(sourceType)

/** Decides at acceptance what is captured. */
export const captureDecision = (world: World, projectId: string, sourceTypes: Iterable<string>): CaptureDecision =>
  decideCapture(world.settings.capture, sourceTypes, (sourceType) => hasCredential(world, projectId, sourceType))
