import OpenAI from 'openai'

export const createCall = (baseUrl) => {
  const openai = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: 'sk-bench' })
  return async () => {
    const { id } = await openai.chat.completions.create({
      model: 'gpt-5',
      messages: [{ role: 'user', content: 'Your invoice is ready.' }],
    })
    return id
  }
}
