import { InvalidArgumentError } from 'commander'

/**
 * Parses the maximum length of a list.
 *
 * @throws {InvalidArgumentError} Unless the text is a number from 1 to 999999.
 */
export const readLimit = (text: string): number => {
  if (!/^\d{1,6}$/.test(text) || Number(text) < 1) throw new InvalidArgumentError('It must be a number from 1 to 999999.')
  return Number(text)
}
