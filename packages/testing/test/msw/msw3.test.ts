import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { describeMsw } from './describe-msw.ts'

describeMsw('the mock behind MSW 3', {
  setupServer: setupServer as never,
  answerText: (url, text) => http.get(url, () => HttpResponse.text(text)),
})
