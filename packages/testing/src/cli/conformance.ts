#!/usr/bin/env node
import { runConformanceProgram } from './conformance-program.ts'

process.exitCode = await runConformanceProgram(process.argv.slice(2), process.env, { print: console.log, printError: console.error })
