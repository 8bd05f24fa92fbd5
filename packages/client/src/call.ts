import type { Call, WithResponse } from './results.ts'

/** The promise of the data of an answer, with the answer itself in reach. */
export const toCall = <Data>(answer: Promise<WithResponse<Data>>): Call<Data> => {
  const data = answer.then((answered) => answered.data)
  return Object.assign(data, {
    withResponse: () => {
      // Whoever asks for the answer handles its failure there; the promise of the data is then nobody's.
      data.catch(() => {})
      return answer
    },
  })
}
