import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from './page.ts'
import type { Reader } from './reader.ts'
import type { StandIns } from './stand-ins.ts'

/** The context of a {@link Walk}: the page, the simulated reader who follows it, and local servers that replace the providers. */
export interface WalkContext {
  readonly page: Page
  readonly reader: Reader
  readonly standIns: StandIns
}

/** Follows the instructions in every code block of a page, and asserts the results that the page promises. */
export type Walk = (context: WalkContext) => Promise<void>

/** Returns the JSON objects that the commands have printed, one for each line. */
export const jsonLines = (output: string) => output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))

/** Saves the next block as a file in a folder, as the page says. */
export const saveBlock = (page: Page, language: string, folder: string, name: string): void =>
  writeFileSync(join(folder, name), page.take(language))

/** The expected result of a message that is sent to its provider instead of being captured. */
export const sent = { status: 'sent', deliveries: [{ status: 'sent', captured: false }] }
