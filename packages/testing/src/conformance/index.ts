export type { Operation, Scope } from '../named-types.ts'
export type { ScenarioContext } from './context.ts'
export {
  type CoverageEntry,
  coverageFaults,
  coverageOf,
  type DeclaredAnswer,
  declaredAnswers,
  type Excuse,
  excuses,
} from './coverage.ts'
export { ConformanceFailure } from './failure.ts'
export type { HttpAnswer, OperationRequest, PlainHttp } from './http.ts'
export { type RunOptions, runConformance, runScenario, type ScenarioResult } from './run.ts'
export type { Scenario } from './scenario.ts'
export { scenarios } from './scenarios/index.ts'
export { type ConformanceTarget, missingNeed, type Need, type Receiver, type UnconfiguredProvider } from './target.ts'
