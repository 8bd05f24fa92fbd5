import { maxSettingsFlows, maxSettingsTemplateBytes } from '../settings-document.ts'
import { toPlannedFlows } from './planned-flows.ts'
import { type SettingsPlan, type StoredSettings, settingsTooLarge } from './settings-document.ts'

const byteLength = (text: string): number => new TextEncoder().encode(text).length

/**
 * Returns whether one settings document can contain a project's flows.
 * @param flows All of the project's flows that have a key.
 */
export const fitsDocument = (flows: readonly { readonly message_template: string }[]): boolean =>
  flows.length <= maxSettingsFlows &&
  flows.reduce((sum, { message_template }) => sum + byteLength(message_template), 0) <= maxSettingsTemplateBytes

/**
 * Rejects a plan that would give the project more flows, or more template text, than one settings document can contain.
 * @param stored The stored settings; `undefined` if the project does not exist.
 * @param idOf Returns the id of a flow in the plan. It must be the id that the same flow has in `stored.flows`.
 * @throws ApiError `settings_too_large`.
 */
export const requireDocumentSize = <F, I, E>(
  stored: StoredSettings<F, I, E> | undefined,
  plan: SettingsPlan<F, I, E>,
  idOf: (flow: F) => string,
): void => {
  if (!fitsDocument(toPlannedFlows(stored?.flows ?? [], plan, idOf))) throw settingsTooLarge()
}
