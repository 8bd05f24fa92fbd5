export { compareTargets, ModelDifference } from './compare.ts'
export { drawSteps } from './draw-steps.ts'
export type { Json, Step, TagChoice } from './step.ts'
export type { ModelTarget } from './target.ts'
