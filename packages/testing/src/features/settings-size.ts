import { maxSettingsFlows, maxSettingsTemplateBytes } from '@flowpost/contract'
import { settingsTooLarge } from '@flowpost/contract/rules'

interface SizedFlow {
  readonly message_template: string
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length

/** Returns whether a settings document can contain all of a project's flows with a key. */
export const fitsDocument = (flows: readonly SizedFlow[]): boolean =>
  flows.length <= maxSettingsFlows &&
  flows.reduce((sum, { message_template }) => sum + byteLength(message_template), 0) <= maxSettingsTemplateBytes

/** @throws {ApiError} `settings_too_large`. */
export const requireDocumentSize = (flows: readonly SizedFlow[]): void => {
  if (!fitsDocument(flows)) throw settingsTooLarge()
}
