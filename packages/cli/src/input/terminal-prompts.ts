import type { Prompts } from '../io.ts'

// The library is loaded when a question is asked, because most commands ask none. Questions are written to standard error, so that
// standard output contains only the result.
const load = () => import('@clack/prompts')

/** Prompts on this process's terminal. */
export const terminalPrompts: Prompts = {
  secret: async (question) => {
    const { isCancel, password } = await load()
    const answer = await password({ message: question, output: process.stderr })
    return isCancel(answer) ? undefined : answer
  },
  text: async (question, placeholder) => {
    const { isCancel, text } = await load()
    const answer = await text({ message: question, placeholder, output: process.stderr })
    return isCancel(answer) ? undefined : answer
  },
  confirm: async (question) => {
    const { confirm } = await load()
    return (await confirm({ message: question, initialValue: false, output: process.stderr })) === true
  },
}
