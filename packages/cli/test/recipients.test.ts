import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { startCliServer } from './support/run-cli.ts'

const { mock, run } = await startCliServer()
const project = mock.seed.project({ name: 'billing' })
mock.seed.flow({ project, name: 'ops-mail', target: 'ops@example.com', override_target: true })
const send = (target: string) => mock.client().notifications.send({ project_id: project.id, subject: 's', message: 'm', target }).settled()

describe('flowpost suppressions', () => {
  it('adds, lists and removes a recipient', async () => {
    const { code, stdout } = await run(['suppressions', 'add', 'gone@example.com', '--reason', 'bounce', '-p', 'billing'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^gone@example\.com is suppressed \(sup_\w+, bounce\)\.\n$/)])
    expect(await send('gone@example.com')).toMatchObject({ status: 'failed' })
    expect((await run(['suppressions', 'list'])).stdout).toMatch(
      /^ADDED +ID +RECIPIENT +REASON +SOURCE\n\S+ \S+ +sup_\w+ +gone@example\.com +bounce +api\n$/,
    )
    expect(await run(['suppressions', 'remove', 'Gone@Example.com'])).toMatchObject({
      code: 0,
      stdout: 'Removed the suppression: Gone@Example.com\n',
    })
    expect(await send('gone@example.com')).toMatchObject({ status: 'sent' })
    expect((await run(['suppressions', 'list', '--json'])).json()).toEqual({ suppressions: [] })
  })

  it('requires an id if a recipient has several suppressions', async () => {
    const { id } = (await run(['suppressions', 'add', 'two@example.com', '--json'])).json()
    const smtp = (await run(['suppressions', 'add', 'smtp:two@example.com', '--json'])).json()
    const { code, stderr } = await run(['suppressions', 'remove', 'two@example.com'])
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Use an id.\n  ${id}  two@example.com\n  ${smtp.id}  smtp:two@example.com`)])
    expect((await run(['suppressions', 'remove', id, '--json'])).json()).toEqual({ removed: id })
    const { suppressions } = (await run(['suppressions', 'list', '--target', 'two@example.com', '--json'])).json()
    expect(suppressions).toEqual([smtp])
  })

  it('removes only the suppression of the provider that is named', async () => {
    const every = (await run(['suppressions', 'add', 'three@example.com', '--json'])).json()
    expect(await run(['suppressions', 'remove', 'smtp:three@example.com'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `The project does not suppress smtp:three@example.com.\nSuppressions of the same address in this project:\n  ${every.id}  three@example.com\n`,
      ),
    })
    const smtp = (await run(['suppressions', 'add', 'smtp:three@example.com', '--json'])).json()
    const mailgun = (await run(['suppressions', 'add', 'mailgun:three@example.com', '--json'])).json()
    const list = async (target: string) => (await run(['suppressions', 'list', '--target', target, '--json'])).json().suppressions
    expect(await list('smtp:Three@Example.com')).toEqual([smtp])
    const { code, stdout, stderr } = await run(['suppressions', 'remove', 'smtp:Three@Example.com'])
    expect([code, stdout]).toEqual([0, 'Removed the suppression: smtp:Three@Example.com\n'])
    expect(stderr).toContain(`three@example.com is still suppressed for every provider (${every.id}).`)
    expect(await list('three@example.com')).toEqual([every, mailgun])
    expect((await run(['suppressions', 'list', '--target', 'smtp:three@example.com'])).stderr).toContain('No suppressions match.')
  })

  it('removes an address that starts like an id, and an erased address', async () => {
    await run(['suppressions', 'add', 'sup_team@example.com'])
    expect(await run(['suppressions', 'remove', 'sup_team@example.com'])).toMatchObject({ code: 0 })
    await run(['erase', 'four@example.com', '--block', '--yes'])
    const { suppressions } = (await run(['suppressions', 'list', '--target', 'four@example.com', '--json'])).json()
    expect(suppressions).toMatchObject([{ target: expect.stringMatching(/^erased:/) }])
    expect(await run(['suppressions', 'remove', suppressions[0].target])).toMatchObject({ code: 0 })
  })

  it('says that a recipient is not suppressed', async () => {
    const { code, stderr } = await run(['suppressions', 'remove', 'none@example.com'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('The project does not suppress none@example.com.')])
  })
})

describe('flowpost erase', () => {
  it('asks for confirmation, and erases the recipient', async () => {
    const { id } = await send('ada@example.com')
    const canceled = await run(['erase', 'ada@example.com'], { answers: [false] })
    expect([canceled.code, canceled.stderr]).toEqual([1, expect.stringContaining('Nothing was erased.')])
    expect((await mock.client().notifications.get(id)).deliveries[0]?.target).toBe('ada@example.com')
    const { code, stdout } = await run(['erase', 'ada@example.com'], { answers: [true] })
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^\w+ is done: 1 delivery erased\.\nThe log now shows the recipient as erased:\S+\.\n$/),
    ])
    expect((await mock.client().notifications.get(id)).deliveries[0]?.target).toMatch(/^erased:/)
  })

  it('suppresses the recipient with --block', async () => {
    expect((await run(['erase', 'eve@example.com', '--block', '--yes', '--json'], { stdin: '' })).json()).toMatchObject({
      status: 'done',
      block: true,
    })
    expect(await send('eve@example.com')).toMatchObject({ status: 'failed' })
  })

  it('does not erase without a terminal or --yes', async () => {
    expect(await run(['erase', 'x@example.com'], { stdin: '' })).toMatchObject({ code: 1, stderr: expect.stringContaining('Pass --yes.') })
  })

  it('follows the erasure to its end', async () => {
    const erasure = (await run(['erase', 'bob@example.com', '--yes', '--json'])).json()
    const server = createServer((request, response) => {
      const running = { ...erasure, status: 'running', done_at: null }
      response.writeHead(request.method === 'POST' ? 202 : 200, { 'Content-Type': 'application/json', 'X-Request-Id': 'req_1' })
      response.end(JSON.stringify(request.method === 'POST' ? running : erasure))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    afterAll(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { code, stdout } = await run(['erase', 'bob@example.com', '--yes'], { env: { FLOWPOST_BASE_URL: url } })
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${erasure.id} is done: 0 deliveries erased.`)])
  })
})
