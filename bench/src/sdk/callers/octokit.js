import { Octokit } from '@octokit/core'

export const createCall = (baseUrl) => {
  const octokit = new Octokit({ baseUrl, auth: 'ghp_bench' })
  return async () => {
    const { data } = await octokit.request('POST /repos/{owner}/{repo}/issues', {
      owner: 'flowpost',
      repo: 'flowpost',
      title: 'Invoice 42',
      body: 'Your invoice is ready.',
    })
    return data.node_id
  }
}
