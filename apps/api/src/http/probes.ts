import type { TextPage } from './text-page.ts'

const type = 'text/plain; charset=utf-8'

/** Liveness and readiness, for orchestrators: no credential, no detail. */
export const createProbes = (deps: { isReady: () => Promise<boolean> }): readonly TextPage[] => [
  { path: '/livez', answer: async () => ({ status: 200, type, text: 'ok\n' }) },
  {
    path: '/readyz',
    answer: async () => ((await deps.isReady()) ? { status: 200, type, text: 'ready\n' } : { status: 503, type, text: 'not ready\n' }),
  },
]
