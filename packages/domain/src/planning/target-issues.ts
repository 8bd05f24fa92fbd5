import type { Channel } from '../channels/channel.ts'
import { parseTargetList, type TargetEntry, type TargetIssue, type TargetList } from './target-list.ts'

type ChannelOf = (sourceType: string) => Channel | undefined

/** Returns an issue if an entry names a provider that rejects the entry's address. */
const findAddressIssues = ({ sourceType, address, number }: TargetEntry, channelOf: ChannelOf): TargetIssue[] => {
  const result = sourceType === undefined ? undefined : channelOf(sourceType)?.parseTarget(address)
  if (!result || result.ok) return []
  return [{ pointer: '/target', code: 'invalid_target', message: `Entry ${number} of the target: ${result.message}` }]
}

/**
 * Parses a target override with {@link parseTargetList}. The result also has an issue for each entry that names a
 * provider which rejects the entry's address.
 */
export const checkTargetList = (value: string, channelOf: ChannelOf): TargetList => {
  const { entries, errors } = parseTargetList(value, (id) => channelOf(id) !== undefined)
  return { entries, errors: [...errors, ...entries.flatMap((entry) => findAddressIssues(entry, channelOf))] }
}
