import { describePullRoundTrip } from './support/pull-round-trip.ts'
import { startCliServer } from './support/run-cli.ts'

describePullRoundTrip(await startCliServer(), { runs: 40, seed: 1 })
