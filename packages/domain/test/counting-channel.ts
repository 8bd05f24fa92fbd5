import { type Channel, smtpDescription } from '../src/index.ts'

/** Creates an SMTP channel and a function that returns how many targets the channel has parsed. */
export const createCountingChannel = (): { readonly channel: Channel; readonly parseCount: () => number } => {
  let count = 0
  const channel: Channel = {
    ...smtpDescription,
    parseTarget: (address) => {
      count += 1
      return smtpDescription.parseTarget(address)
    },
  }
  return { channel, parseCount: () => count }
}
