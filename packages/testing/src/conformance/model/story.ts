import fc from 'fast-check'
import type { Step } from './sequence.ts'

/** A short series of related steps. It finds differences between servers that unrelated steps rarely find. */
export type Story = fc.Arbitrary<readonly Step[]>

/** Concatenates steps and stories. Leaves out the parts whose generated value is `undefined`. */
export const inOrder = (...parts: fc.Arbitrary<Step | readonly Step[] | undefined>[]): Story =>
  fc.tuple(...parts).map((drawn) => drawn.flatMap((part) => part ?? []))

/** The index of the newest resource. */
export const newest = fc.constant(-1)
