// Sends a notification with bare `fetch`: the baseline.
export const createCall = (baseUrl) => async () => {
  const response = await fetch(`${baseUrl}/v1/notifications`, {
    method: 'POST',
    headers: { Authorization: 'Bearer fp_bench', 'Content-Type': 'application/json' },
    body: JSON.stringify({ project_id: 'prj_1', subject: 'Invoice 42', message: 'Your invoice is ready.' }),
  })
  if (!response.ok) throw new Error(`The server returned ${response.status}.`)
  const { id } = await response.json()
  return id
}
