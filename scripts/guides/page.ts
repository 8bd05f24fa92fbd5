import { expect } from 'vitest'
import { blocksIn, readFromRepository } from '../../apps/api/test/support/guide-pages.ts'

/** A documentation page whose code blocks a test runs in order. */
export interface Page {
  /**
   * Returns the next block.
   * @param values The values that replace the block's placeholders, keyed by placeholder.
   * @throws Error if the block has another language or lacks a placeholder.
   */
  take(language: string, values?: Readonly<Record<string, string>>): string
  /** Returns `command`. @throws Error if the page does not contain it as inline code. */
  quote(command: string): string
  /** Asserts that no block is left. */
  end(): void
}

/** Reads a Markdown page of the repository, so that a test can follow its code blocks. */
export const openPage = (path: string): Page => {
  const text = readFromRepository(path)
  const blocks = blocksIn(text)
  return {
    take: (language, values = {}) => {
      const block = blocks.shift()
      if (block?.language !== language) throw new Error(`${path}: expected a block in '${language}', not ${JSON.stringify(block)}.`)
      return Object.entries(values).reduce((code, [placeholder, value]) => {
        if (!code.includes(placeholder)) throw new Error(`${path}: expected the placeholder ${placeholder} in: ${code}`)
        return code.replaceAll(placeholder, value)
      }, block.code)
    },
    quote: (command) => {
      if (!text.includes(`\`${command}\``)) throw new Error(`${path}: expected the command ${command}.`)
      return command
    },
    end: () => expect(blocks, `blocks of ${path} that the test has not used`).toEqual([]),
  }
}
