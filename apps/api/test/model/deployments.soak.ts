import { describeDeployments } from './describe-deployments.ts'

describeDeployments({ runs: 100, seed: Number(process.env['FLOWPOST_MODEL_SEED'] ?? 1) })
