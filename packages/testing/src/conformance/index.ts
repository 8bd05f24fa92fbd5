export type { Operation, Scope } from '../public-types.ts'
export { ConformanceFailure } from './assertions.ts'
export type { Cleanup } from './cleanups.ts'
export type { Clients } from './clients.ts'
export type { ScenarioContext } from './context.ts'
export {
  type CoverageEntry,
  coverageIssues,
  coverageOf,
  type DeclaredResponse,
  declaredResponses,
  type Exemption,
  exemptions,
} from './coverage.ts'
export type { Timers } from './deadline.ts'
export type { OperationRequest, PlainHttp, PlainResponse } from './http.ts'
export { type RunOptions, runConformance, runScenario, type ScenarioOptions, type ScenarioResult } from './run.ts'
export type { Scenario } from './scenario.ts'
export { scenarios } from './scenarios/index.ts'
export { type ConformanceTarget, missingRequirement, type Receiver, type Requirement, type UnconfiguredProvider } from './target.ts'
