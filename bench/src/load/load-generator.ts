import { expose } from '../processes/rpc.ts'
import { pace, saturate } from './generate-load.ts'

const program = { saturate, pace }

/** The functions that the load generator exposes. */
export type LoadGenerator = typeof program

expose(program)
