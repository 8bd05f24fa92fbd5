import { questions } from './questions.ts'
import { readSearchIndex } from './search-index.ts'

/** The number of results that a reader sees without scrolling. */
const visibleResults = 6

/** Returns a message for each question in `questions.ts` whose page is not among the first search results. */
export const findUnansweredQuestions = async (folder: string, base: string): Promise<string[]> => {
  const search = await readSearchIndex(folder, base)
  return questions.flatMap(({ question, search: words, page }) => {
    const found = search(words, visibleResults)
    return found.includes(page) ? [] : [`${question} The search for "${words}" finds ${found.join(', ')}, not ${page}.`]
  })
}
