import { CliError } from '../cli-error.ts'

/**
 * Checks that a text is an http or https URL without credentials, query or fragment. The error does not repeat the text,
 * because it may contain a password.
 *
 * @param origin The variable that contains the text, if the user did not just enter it.
 * @throws {CliError} When the text is not such a URL.
 */
export const requireServerUrl = (text: string, origin?: string): void => {
  if (isServerUrl(text)) return
  throw new CliError('The URL must be an http or https URL without credentials, query or fragment.', origin && `Correct ${origin}.`)
}

/** Returns whether a text is an http or https URL without credentials, query or fragment. */
export const isServerUrl = (text: string): boolean => /^https?:\/\/[^\s/?#@\\][^\s?#@\\]*$/i.test(text) && URL.canParse(text)
