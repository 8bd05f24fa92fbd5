import { vi } from 'vitest'
import { describeMsw } from './describe-msw.ts'

// The package supports MSW 2 and 3. In this test, the package's import of `msw` resolves to version 2.
vi.mock('msw', () => import('msw2'))
const { HttpResponse, http } = await import('msw2')
const { setupServer } = await import('msw2/node')

describeMsw('the mock behind MSW 2', {
  setupServer: setupServer as never,
  answerText: (url, text) => http.get(url, () => HttpResponse.text(text)),
})
