import { offer } from '../processes/calls.ts'
import { pace, saturate } from './generate-load.ts'

const program = { saturate, pace }

/** What the load generator offers. */
export type LoadGenerator = typeof program

offer(program)
