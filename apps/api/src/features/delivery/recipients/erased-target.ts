import type { RecipientDigest } from './recipients.ts'

const prefix = 'erased:'
const pattern = /^erased:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Returns the text that replaces an erased recipient's address in the delivery log. */
export const erasedTarget = (digest: RecipientDigest): string => `${prefix}${digest}`

/** Returns the digest in an {@link erasedTarget}; `undefined` for any other target. */
export const parseErasedTarget = (target: string): RecipientDigest | undefined => pattern.exec(target)?.[1]
