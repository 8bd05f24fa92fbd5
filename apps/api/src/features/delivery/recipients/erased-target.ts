import type { RecipientDigest } from './recipients.ts'

const prefix = 'erased:'
const pattern = /^erased:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Returns what the log contains instead of the address of an erased recipient. */
export const erasedTarget = (digest: RecipientDigest): string => `${prefix}${digest}`

/** Returns the digest in an {@link erasedTarget}; `undefined` for any other target. */
export const parseErasedTarget = (target: string): RecipientDigest | undefined => pattern.exec(target)?.[1]
