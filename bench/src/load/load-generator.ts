import { expose } from '../processes/rpc.ts'
import { pace, saturate } from './generate-load.ts'

const program = { saturate, pace }

/** The functions of the load generator. */
export type LoadGenerator = typeof program

expose(program)
